//isa aarch32
// Data in front of the code, a label behind it: the listing must not give the label to the data.
1: .byte 1b
nop
_:
