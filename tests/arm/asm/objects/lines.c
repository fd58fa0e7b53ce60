int twice(int x) {
    int y = x + x;
    return y * 3;
}
