/* What test_objects.py calls. The .o files here were made with GCC 12:
     aarch64-linux-gnu-gcc -O1 -c answers.c -o aarch64.o
     arm-linux-gnueabihf-gcc -marm -O1 -c answers.c -o aarch32.o
     arm-linux-gnueabihf-gcc -marm -O1 -fPIC -c answers.c -o aarch32_pic.o                                             */
#include <stdint.h>
#include <string.h>

static const int table[4] = {1, 2, 3, 4};
int counter = 5;
static int zeroed[4];
int common;

typedef int function(int);
static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
function *const functions[2] = {twice, thrice};

int sum(const int *p, long n) {
    int s = 0;
    for (long i = 0; i < n; i++) s += p[i];
    return s;
}

int use(int i) {
    counter++;
    zeroed[i & 3] += i;
    return table[i & 3] + counter + zeroed[i & 3];
}

void copy(char *d, const char *s, long n) {
    memcpy(d, s, n);
    memset(d + n, 7, 3);
}

void shift(char *d, long n) { memmove(d + 1, d, n); }

int apply(int which, int x) { return functions[which & 1](x); }
