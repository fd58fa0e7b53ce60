/* Checksums: Adler-32, CRC-32 by a table that is made first, Fletcher-64, FNV-1a and an Internet checksum. */
#include <stddef.h>
#include <stdint.h>

uint32_t adler32(const uint8_t *data, size_t n) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint32_t table[256];

uint32_t crc32(const uint8_t *data, size_t n) {
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t x = i;
            for (int bit = 0; bit < 8; bit++) x = x & 1 ? x >> 1 ^ 0xEDB88320u : x >> 1;
            table[i] = x;
        }
    uint32_t crc = ~0u;
    while (n--) crc = crc >> 8 ^ table[(crc ^ *data++) & 255];
    return ~crc;
}

void fletcher64(const uint32_t *data, size_t n, uint64_t *sum) {
    uint64_t a = 0, b = 0;
    for (size_t i = 0; i < n; i++) {
        a += data[i];
        b += a;
        a = (a >> 32) + (uint32_t)a;
        b = (b >> 32) + (uint32_t)b;
    }
    *sum = b << 32 | (uint32_t)a;
}

void fnv1a(const uint8_t *data, size_t n, uint64_t *hash) {
    uint64_t h = 14695981039346656037ull;
    for (size_t i = 0; i < n; i++) h = (h ^ data[i]) * 1099511628211ull;
    *hash = h;
}

uint32_t internet(const uint8_t *data, size_t n) {
    uint32_t sum = 0;
    for (; n > 1; n -= 2, data += 2) sum += (uint32_t)data[0] << 8 | data[1];
    if (n) sum += (uint32_t)data[0] << 8;
    while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)~sum;
}
