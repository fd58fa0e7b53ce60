"""What a timing says: critical paths, a legend, Konata's and llvm-mca's formats."""
