//isa aarch32
ret r1, r2, r3
