"""AES, SHA, SM3, SM4 and CRC."""
