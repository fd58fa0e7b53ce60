//isa aarch32
.comm c, 8, 4
x: .byte 1, 2
ldr r0, =x
ldr r1, =c
bx lr
.byte 3
