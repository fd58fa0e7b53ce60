// What translated pipelines are made of: Python's containers, with reference counts, in a pool that ends with the run.
// No exceptions, no library to link: a wrong index or key jumps out of the run, and the plain model then says what it was.

#include <new>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>
#include <type_traits>
#include <utility>

typedef int64_t i64;
using std::get;

// ---- the run: its memory, its words, the way out

struct Block {
    Block *before, *after;
};

typedef void (*Ask)(const i64 *key, i64 *answer);

enum { CLASSES = 64, STEP = 16, CHUNK = 1 << 18 };

struct Run {
    Block chunks;
    char *next, *end;
    void *freed[CLASSES];
    jmp_buf out;
    Ask ask;
    // texts: bytes one after the other, `start` their places; `slots` finds a text by its hash
    char *letters;
    i64 letters_room, texts, texts_room, slots_room;
    i64 *start;
    int32_t *slots;
};

static thread_local Run *here;

[[noreturn]] static void fail() {
    longjmp(here->out, 1);
}

static void *block_of(size_t bytes) {
    Block *b = (Block *)malloc(sizeof(Block) + bytes);
    if (!b) fail();
    Block *head = &here->chunks;
    b->before = head, b->after = head->after;
    head->after->before = b, head->after = b;
    return b + 1;
}

static void block_end(void *at) {
    Block *b = (Block *)at - 1;
    b->before->after = b->after, b->after->before = b->before;
    free(b);
}

static void *allot(size_t bytes) {
    size_t k = (bytes + STEP - 1) / STEP;
    if (k >= CLASSES) return block_of(bytes);
    Run *r = here;
    if (void *found = r->freed[k]) {
        r->freed[k] = *(void **)found;
        return found;
    }
    if ((size_t)(r->end - r->next) < k * STEP) {
        r->next = (char *)block_of(CHUNK);
        r->end = r->next + CHUNK;
    }
    void *found = r->next;
    r->next += k * STEP;
    return found;
}

static void give_back(void *at, size_t bytes) {
    size_t k = (bytes + STEP - 1) / STEP;
    if (k >= CLASSES) return block_end(at);
    *(void **)at = here->freed[k];
    here->freed[k] = at;
}

// ---- references

struct None {};

template <class T> struct Ref {
    T *p = nullptr;
    Ref() {}
    Ref(None) {}
    Ref(T *q) : p(q) {
        if (p) p->refs++;
    }
    Ref(const Ref &o) : p(o.p) {
        if (p) p->refs++;
    }
    Ref(Ref &&o) noexcept : p(o.p) {
        o.p = nullptr;
    }
    Ref &operator=(const Ref &o) {
        Ref old(*this);
        drop();
        p = o.p;
        if (p) p->refs++;
        return *this;
    }
    Ref &operator=(Ref &&o) noexcept {
        std::swap(p, o.p);
        return *this;
    }
    ~Ref() {
        drop();
    }
    void drop() {
        if (p && !--p->refs) {
            T *q = p;
            p = nullptr;
            q->~T();
            give_back(q, sizeof(T));
        }
    }
    T *operator->() const {
        if (!p) fail();
        return p;
    }
};

template <class T, class... A> static Ref<T> made(A &&...a) {
    return Ref<T>(new (allot(sizeof(T))) T(std::forward<A>(a)...));
}

template <class T> struct Maybe {
    bool has = false;
    T v{};
    Maybe() {}
    Maybe(None) {}
    Maybe(T x) : has(true), v(std::move(x)) {}
    const T &value() const {
        if (!has) fail();
        return v;
    }
};

struct Str {
    i64 id = 0;
    bool operator==(const Str &o) const {
        return id == o.id;
    }
    bool operator!=(const Str &o) const {
        return id != o.id;
    }
    const char *text() const {
        return here->letters + here->start[id];
    }
    bool operator<(const Str &o) const {
        return id != o.id && strcmp(text(), o.text()) < 0;
    }
    bool operator>(const Str &o) const {
        return o < *this;
    }
};

// ---- texts

static uint64_t hash_bytes(const char *at, i64 n) {
    uint64_t h = 1469598103934665603u;
    for (i64 i = 0; i < n; i++) h = (h ^ (unsigned char)at[i]) * 1099511628211u;
    return h;
}

template <class T> static void grow(T *&at, i64 &room, i64 needed, i64 used) {
    if (needed <= room) return;
    i64 more = room ? room : 64;
    while (more < needed) more *= 2;
    T *fresh = (T *)block_of(sizeof(T) * more);
    if (at) memcpy(fresh, at, sizeof(T) * used), block_end(at);
    at = fresh, room = more;
}

static Str interned(const char *text, i64 n) {
    Run *r = here;
    i64 used = r->texts ? r->start[r->texts] : 0;
    if (2 * (r->texts + 1) > r->slots_room) {
        i64 room = r->slots_room ? 2 * r->slots_room : 512;
        int32_t *slots = (int32_t *)block_of(sizeof(int32_t) * room);
        memset(slots, 255, sizeof(int32_t) * room);
        for (i64 k = 0; k < r->texts; k++) {
            i64 at = hash_bytes(r->letters + r->start[k], r->start[k + 1] - r->start[k] - 1) & (room - 1);
            while (slots[at] >= 0) at = (at + 1) & (room - 1);
            slots[at] = (int32_t)k;
        }
        if (r->slots) block_end(r->slots);
        r->slots = slots, r->slots_room = room;
    }
    i64 at = hash_bytes(text, n) & (r->slots_room - 1);
    for (; r->slots[at] >= 0; at = (at + 1) & (r->slots_room - 1)) {
        i64 k = r->slots[at];
        if (r->start[k + 1] - r->start[k] - 1 == n && !memcmp(r->letters + r->start[k], text, n)) return Str{k};
    }
    grow(r->letters, r->letters_room, used + n + 1, used);
    grow(r->start, r->texts_room, r->texts + 2, r->texts ? r->texts + 1 : 0);
    memcpy(r->letters + used, text, n);
    r->letters[used + n] = 0;
    r->start[r->texts] = used, r->start[r->texts + 1] = used + n + 1;
    r->slots[at] = (int32_t)r->texts;
    return Str{r->texts++};
}

struct Line {
    enum { ROOM = 1000 };
    char text[ROOM];
    i64 n = 0;
    Line &operator<<(Str s) {
        i64 more = here->start[s.id + 1] - here->start[s.id] - 1;
        if (n + more > ROOM) fail();
        memcpy(text + n, s.text(), more);
        n += more;
        return *this;
    }
    Line &operator<<(i64 v) {
        if (n + 24 > ROOM) fail();
        uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
        char digits[24];
        int k = 0;
        do digits[k++] = (char)('0' + left % 10);
        while (left /= 10);
        if (v < 0) text[n++] = '-';
        while (k) text[n++] = digits[--k];
        return *this;
    }
    Str done() {
        return interned(text, n);
    }
};

// ---- equality, truth, hashes

template <class T> static bool same(const T &a, const T &b);
template <class T> struct List;
template <class K, class V> struct Dict;

static bool alike(i64 a, i64 b) {
    return a == b;
}
static bool alike(Str a, Str b) {
    return a.id == b.id;
}
template <class T> static bool alike(const Maybe<T> &a, const Maybe<T> &b) {
    return a.has == b.has && (!a.has || alike(a.v, b.v));
}
// Objects are compared by what they are, and only where their class compares so.
template <class T> static std::enable_if_t<T::by_identity, bool> alike(const Ref<T> &a, const Ref<T> &b) {
    return a.p == b.p;
}
template <class... T, size_t... I>
static bool alike_each(const std::tuple<T...> &a, const std::tuple<T...> &b, std::index_sequence<I...>) {
    return (alike(get<I>(a), get<I>(b)) && ...);
}
template <class... T> static bool alike(const std::tuple<T...> &a, const std::tuple<T...> &b) {
    return alike_each(a, b, std::index_sequence_for<T...>());
}

static uint64_t mixed(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}
static uint64_t hashed(i64 a) {
    return mixed(7, (uint64_t)a);
}
static uint64_t hashed(Str a) {
    return mixed(11, (uint64_t)a.id);
}
template <class... T> static uint64_t hashed(const std::tuple<T...> &a) {
    return std::apply(
        [](const auto &...x) {
            uint64_t h = 13;
            ((h = mixed(h, hashed(x))), ...);
            return h;
        },
        a);
}

// ---- lists, also tuples of any length and queues with two ends

template <class T> struct List {
    i64 refs = 0, n = 0, head = 0, room = 0, most = -1;
    T *data = nullptr;
    static constexpr bool by_identity = false;
    List() {}
    List(const List &) = delete;
    ~List() {
        for (i64 i = 0; i < n; i++) data[head + i].~T();
        if (data) give_back(data, sizeof(T) * room);
    }
    i64 place(i64 i) const {
        if (i < 0) i += n;
        if (i < 0 || i >= n) fail();
        return head + i;
    }
    T &at(i64 i) const {
        return data[place(i)];
    }
    void need(i64 more) {
        if (head + n + more <= room) return;
        if (head && 2 * (n + more) <= room) {
            for (i64 i = 0; i < n; i++) new (data + i) T(std::move(data[head + i])), data[head + i].~T();
            head = 0;
            return;
        }
        i64 larger = n + more < 4 ? 4 : 2 * (n + more);
        T *fresh = (T *)allot(sizeof(T) * larger);
        for (i64 i = 0; i < n; i++) new (fresh + i) T(std::move(data[head + i])), data[head + i].~T();
        if (data) give_back(data, sizeof(T) * room);
        data = fresh, room = larger, head = 0;
    }
    void append(T x) {
        if (!most) return;
        if (most > 0 && n == most) popleft();
        need(1);
        new (data + head + n++) T(std::move(x));
    }
    void extend(const Ref<List> &o) {
        for (i64 i = 0; i < o->n; i++) append(o->data[o->head + i]);
    }
    T pop(i64 i = -1) {
        i64 at = place(i);
        T x = std::move(data[at]);
        for (i64 k = at; k + 1 < head + n; k++) data[k] = std::move(data[k + 1]);
        data[head + --n].~T();
        return x;
    }
    T popleft() {
        if (!n) fail();
        T x = std::move(data[head]);
        data[head].~T();
        head++, n--;
        return x;
    }
    void clear() {
        while (n) pop();
    }
    void remove(const T &x) {
        for (i64 i = 0; i < n; i++)
            if (alike(data[head + i], x)) {
                pop(i);
                return;
            }
        fail();
    }
    bool contains(const T &x) const {
        for (i64 i = 0; i < n; i++)
            if (alike(data[head + i], x)) return true;
        return false;
    }
    Ref<List> slice(i64 a, i64 b) const {
        if (a < 0) a = a + n < 0 ? 0 : a + n;
        if (b < 0) b += n;
        if (b > n) b = n;
        Ref<List> r = made<List>();
        for (i64 i = a; i < b; i++) r->append(data[head + i]);
        return r;
    }
    Ref<List> copy() const {
        return slice(0, n);
    }
    // Stable, as Python's: runs of 1, 2, 4 ... are merged.
    template <class F> void sort(F before) {
        if (n < 2) return;
        T *a = data + head, *b = (T *)allot(sizeof(T) * n);
        for (i64 i = 0; i < n; i++) new (b + i) T(a[i]);
        for (i64 run = 1; run < n; run *= 2) {
            for (i64 low = 0; low < n; low += 2 * run) {
                i64 mid = low + run < n ? low + run : n, high = low + 2 * run < n ? low + 2 * run : n;
                i64 x = low, y = mid, to = low;
                while (x < mid || y < high) b[to++] = y >= high || (x < mid && !before(a[y], a[x])) ? a[x++] : a[y++];
            }
            for (i64 i = 0; i < n; i++) a[i] = b[i];
        }
        for (i64 i = 0; i < n; i++) b[i].~T();
        give_back(b, sizeof(T) * n);
    }
};

template <class T> static bool alike(const Ref<List<T>> &a, const Ref<List<T>> &b) {
    if (a.p == b.p) return true;
    if (!a.p || !b.p || a->n != b->n) return false;
    for (i64 i = 0; i < a->n; i++)
        if (!alike(a->at(i), b->at(i))) return false;
    return true;
}

static bool less(i64 a, i64 b) {
    return a < b;
}
static bool less(Str a, Str b) {
    return a < b;
}
template <size_t I = 0, class... T> static bool less(const std::tuple<T...> &a, const std::tuple<T...> &b) {
    if constexpr (I == sizeof...(T))
        return false;
    else {
        if (!alike(get<I>(a), get<I>(b))) return less(get<I>(a), get<I>(b));
        return less<I + 1>(a, b);
    }
}

// ---- dictionaries that keep the order in which keys came

struct Unit0 {};

template <class K, class V> struct Dict {
    struct Entry {
        K k;
        V v;
        bool there;
    };
    i64 refs = 0, n = 0, used = 0, first = 0, room = 0, slots_room = 0;
    Entry *entries = nullptr;
    int32_t *slots = nullptr;
    static constexpr bool by_identity = false;
    Dict() {}
    Dict(const Dict &) = delete;
    ~Dict() {
        for (i64 i = 0; i < used; i++) entries[i].~Entry();
        if (entries) give_back(entries, sizeof(Entry) * room), give_back(slots, sizeof(int32_t) * slots_room);
    }
    i64 find(const K &k) const {
        if (!n) return -1;
        i64 mask = slots_room - 1;
        for (i64 at = hashed(k) & mask; slots[at] >= 0; at = (at + 1) & mask) {
            Entry &e = entries[slots[at]];
            if (e.there && alike(e.k, k)) return slots[at];
        }
        return -1;
    }
    void make_room() {
        if (used < room) return;
        i64 larger = room ? (n * 2 < room ? room : room * 2) : 8, larger_slots = larger * 2;
        Entry *fresh = (Entry *)allot(sizeof(Entry) * larger);
        int32_t *table = (int32_t *)allot(sizeof(int32_t) * larger_slots);
        memset(table, 255, sizeof(int32_t) * larger_slots);
        i64 to = 0;
        for (i64 i = 0; i < used; i++) {
            if (entries[i].there) {
                new (fresh + to) Entry(std::move(entries[i]));
                i64 at = hashed(fresh[to].k) & (larger_slots - 1);
                while (table[at] >= 0) at = (at + 1) & (larger_slots - 1);
                table[at] = (int32_t)to++;
            }
            entries[i].~Entry();
        }
        if (entries) give_back(entries, sizeof(Entry) * room), give_back(slots, sizeof(int32_t) * slots_room);
        entries = fresh, slots = table, room = larger, slots_room = larger_slots, used = to, first = 0;
    }
    void put(const K &k, V v) {
        i64 i = find(k);
        if (i >= 0) {
            entries[i].v = std::move(v);
            return;
        }
        make_room();
        new (entries + used) Entry{k, std::move(v), true};
        i64 at = hashed(k) & (slots_room - 1);
        while (slots[at] >= 0) at = (at + 1) & (slots_room - 1);
        slots[at] = (int32_t)used++;
        n++;
    }
    V &at(const K &k) const {
        i64 i = find(k);
        if (i < 0) fail();
        return entries[i].v;
    }
    bool contains(const K &k) const {
        return find(k) >= 0;
    }
    Maybe<V> look(const K &k) const {
        i64 i = find(k);
        return i < 0 ? Maybe<V>() : Maybe<V>(entries[i].v);
    }
    V look(const K &k, V other) const {
        i64 i = find(k);
        return i < 0 ? other : entries[i].v;
    }
    V take(i64 i) {
        V v = std::move(entries[i].v);
        entries[i].v = V();
        entries[i].there = false;
        n--;
        while (first < used && !entries[first].there) first++;
        return v;
    }
    V pop(const K &k) {
        i64 i = find(k);
        if (i < 0) fail();
        return take(i);
    }
    V pop(const K &k, V other) {
        i64 i = find(k);
        return i < 0 ? other : take(i);
    }
    V &setdefault(const K &k, V v) {
        if (find(k) < 0) put(k, std::move(v));
        return at(k);
    }
    K oldest() const {
        if (!n) fail();
        return entries[first].k;
    }
    Ref<Dict> copy() const {
        Ref<Dict> d = made<Dict>();
        for (i64 i = 0; i < used; i++)
            if (entries[i].there) d->put(entries[i].k, entries[i].v);
        return d;
    }
};

static bool truth(bool a) {
    return a;
}
static bool truth(i64 a) {
    return a != 0;
}
static bool truth(Str a) {
    return here->start[a.id + 1] - here->start[a.id] > 1;
}
template <class T> static bool truth(const Ref<List<T>> &a) {
    return a.p && a->n;
}
template <class K, class V> static bool truth(const Ref<Dict<K, V>> &a) {
    return a.p && a->n;
}
template <class T> static std::enable_if_t<T::always_true, bool> truth(const Ref<T> &a) {
    return a.p != nullptr;
}
template <class T> static bool truth(const Maybe<T> &a) {
    return a.has && truth(a.v);
}
template <class T> static bool is_none(const Ref<T> &a) {
    return !a.p;
}
template <class T> static bool is_none(const Maybe<T> &a) {
    return !a.has;
}

static i64 floor_div(i64 a, i64 b) {
    if (!b) fail();
    i64 q = a / b;
    return q - (a % b && (a % b < 0) != (b < 0));
}
static i64 floor_mod(i64 a, i64 b) {
    return a - floor_div(a, b) * b;
}
static i64 power_of_two(i64 a, i64 by) {
    if (by < 0 || by > 62) fail();
    return (i64)((uint64_t)a << by);
}

// ---- keys: any value as words, for comparisons

struct Key {
    Ref<List<i64>> words;
};
static bool alike(const Key &a, const Key &b) {
    return a.words->n == b.words->n &&
           !memcmp(a.words->data + a.words->head, b.words->data + b.words->head, 8 * a.words->n);
}
static uint64_t hashed(const Key &a) {
    uint64_t h = 17;
    for (i64 i = 0; i < a.words->n; i++) h = mixed(h, (uint64_t)a.words->data[a.words->head + i]);
    return h;
}
static void spell(List<i64> *to, i64 a) {
    to->append(a);
}
static void spell(List<i64> *to, Str a) {
    to->append(a.id);
}
static void spell(List<i64> *to, None) {
    to->append(-1);
}
template <class T> static void spell(List<i64> *to, const Maybe<T> &a) {
    to->append(a.has);
    if (a.has) spell(to, a.v);
}
template <class... T> static void spell(List<i64> *to, const std::tuple<T...> &a);
template <class T> static void spell(List<i64> *to, const Ref<List<T>> &a) {
    to->append(a->n);
    for (i64 i = 0; i < a->n; i++) spell(to, a->at(i));
}
template <class... T> static void spell(List<i64> *to, const std::tuple<T...> &a) {
    std::apply([&](const auto &...x) { (spell(to, x), ...); }, a);
}
template <class T> static Key key_of(const T &a) {
    Key k{made<List<i64>>()};
    spell(k.words.p, a);
    return k;
}

// ---- the wire: values as words, objects once

struct In {
    const i64 *at, *end;
    void **seen;
    i64 count, room;
    i64 word() {
        if (at >= end) fail();
        return *at++;
    }
    void keep(void *p) {
        grow(seen, room, count + 1, count);
        seen[count++] = p;
    }
};
enum { NEW = -1, NOTHING = -2, ALIKE = -3 };

static void load(In &in, i64 &v) {
    v = in.word();
}
static void load(In &in, Str &v) {
    v.id = in.word();
    if (v.id < 0 || v.id >= here->texts) fail();
}
static void load(In &, Key &) {
    fail();
}
template <class T> static void load(In &in, Ref<T> &v);
template <class T> static void load(In &in, Maybe<T> &v);
template <class... T> static void load(In &in, std::tuple<T...> &v) {
    std::apply([&](auto &...x) { (load(in, x), ...); }, v);
}
template <class T> static void load(In &in, Maybe<T> &v) {
    v.has = in.word();
    if (v.has) load(in, v.v);
}
template <class T> static void fill(In &in, List<T> &v) {
    v.most = in.word();
    i64 n = in.word(), kind = in.word();
    if (n < 0) fail();
    v.need(n);
    if constexpr (std::is_same_v<T, i64>) {
        if (kind == NEW) {
            if (in.end - in.at < n) fail();
            memcpy(v.data, in.at, 8 * n);
            v.n = n, in.at += n;
            return;
        }
    }
    T one{};
    if (kind == ALIKE) load(in, one);
    for (i64 i = 0; i < n; i++) {
        if (kind != ALIKE) one = T{}, load(in, one);
        new (v.data + v.n++) T(one);
    }
}
template <class K, class V> static void fill(In &in, Dict<K, V> &v) {
    i64 n = in.word();
    for (i64 i = 0; i < n; i++) {
        K k{};
        V x{};
        load(in, k);
        if constexpr (!std::is_same_v<V, Unit0>) load(in, x);
        v.put(k, x);
    }
}
template <class T> static void fill(In &in, T &v) {
    v.load(in);
}
template <class T> static void load(In &in, Ref<T> &v) {
    i64 which = in.word();
    if (which == NOTHING) return;
    if (which != NEW) {
        if (which < 0 || which >= in.count) fail();
        v = Ref<T>((T *)in.seen[which]);
        return;
    }
    v = made<T>();
    in.keep(v.p);
    v.p->refs++;    // what came over the wire stays until the end of the run
    fill(in, *v.p);
}

struct Out {
    i64 *words;
    i64 n, room;
    void *reserve(i64 more) {
        if (n + more > room) {
            room = 2 * (n + more);
            i64 *larger = (i64 *)realloc(words, 8 * room);
            if (!larger) fail();
            words = larger;
        }
        return words + n;
    }
    void word(i64 v) {
        reserve(1);
        words[n++] = v;
    }
};
static void save(Out &out, i64 v) {
    out.word(v);
}
static void save(Out &out, Str v) {
    out.word(v.id);
}
template <class T> static void save(Out &out, const Ref<T> &v);
template <class T> static void save(Out &out, const Maybe<T> &v) {
    out.word(v.has);
    if (v.has) save(out, v.v);
}
template <class... T> static void save(Out &out, const std::tuple<T...> &v) {
    std::apply([&](const auto &...x) { (save(out, x), ...); }, v);
}
static void save(Out &out, const Key &v) {
    out.word(v.words->n);
    for (i64 i = 0; i < v.words->n; i++) out.word(v.words->at(i));
}
template <class T> static void pour(Out &out, const List<T> &v) {
    out.word(v.n);
    if constexpr (std::is_same_v<T, i64> || std::is_same_v<T, Str>) {
        memcpy(out.reserve(v.n), v.data + v.head, 8 * v.n);
        out.n += v.n;
    } else
        for (i64 i = 0; i < v.n; i++) save(out, v.at(i));
}
template <class K, class V> static void pour(Out &out, const Dict<K, V> &v) {
    out.word(v.n);
    for (i64 i = 0; i < v.used; i++)
        if (v.entries[i].there) {
            save(out, v.entries[i].k);
            if constexpr (!std::is_same_v<V, Unit0>) save(out, v.entries[i].v);
        }
}
template <class T> static void pour(Out &out, const T &v) {
    v.save(out);
}
template <class T> static void save(Out &out, const Ref<T> &v) {
    out.word(v.p ? NEW : NOTHING);
    if (v.p) pour(out, *v.p);
}

struct Answer {
    i64 *words, n, texts_bytes, texts;
    char *letters;
};
