// The C library as a module of WebAssembly: whole networks in Node.js and in pages, a single thread.
//
//     const library = await load(await WebAssembly.compileStreaming(fetch("neonsim.wasm")))
//     library.families()                     [{ name: "simd128", missing: null }, { name: "scalar", missing: null }]
//     const network = library.network(bytes, "simd128")     a network as native/tests/saved.c describes it
//     network.run()                          milliseconds
//     network.arena                          Uint8Array: inputs and results, by offset; a fresh view after every call
//     network.close()
//
// neonsim.wasm is made by `make wasm`. Of the system it wants a clock, and to hear of its end.

const MAGIC = "NSN1"
const SUCCESS = 0
const MOST_LAYERS = 1024

/**
 * @typedef {{ name: string, missing: string | null }} Family
 * @typedef {Record<string, { offset: number, bytes: number }>} Fields
 */

/** @param {WebAssembly.Module} module */
export async function load(module) {
  const library = new Library()
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: library.system() })
  library.begin(/** @type {any} */ (instance.exports))
  return library
}

class Library {
  /** Of a layer. @type {Fields} */
  fields = {}

  /** @param {any} c what the module exports */
  begin(c) {
    this.c = c
    c._initialize()
    this.fields = this.layer()
  }

  /** What the C library asks of its system. No environment: NEONSIM_WITHOUT and its kin are not heard. */
  system() {
    const words = (/** @type {number[]} */ ...places) => {
      for (const place of places) this.view().setUint32(place, 0, true)
      return SUCCESS
    }
    return {
      environ_get: () => SUCCESS,
      environ_sizes_get: words,
      clock_time_get: (/** @type {number} */ _, /** @type {bigint} */ __, /** @type {number} */ to) => {
        this.view().setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true)
        return SUCCESS
      },
      sched_yield: () => SUCCESS,
      proc_exit: (/** @type {number} */ code) => { throw new Error(`the C library ended with ${code}`) },
    }
  }

  view() { return new DataView(this.c.memory.buffer) }

  /** @param {number} address */
  text(address) {
    const bytes = new Uint8Array(this.c.memory.buffer)
    return new TextDecoder().decode(bytes.slice(address, bytes.indexOf(0, address)))
  }

  /** Memory for the caller: what `use` returns, given its address. @template T @param {number} bytes @param {(address: number) => T} use */
  with_memory(bytes, use) {
    const address = this.c.malloc(bytes)
    if (address === 0) throw new Error(`no memory for ${bytes} bytes`)
    try {
      return use(address)
    } finally {
      this.c.free(address)
    }
  }

  /** Where the fields of a layer lie: the library tells. @returns {Fields} */
  layer() {
    return this.with_memory(20, at => {
      /** @type {Fields} */ const found = {}
      for (let i = 0; this.c.neonsim_field_info(i, at, at + 4, at + 8, at + 12, at + 16) === SUCCESS; i++) {
        const [record, name, , offset, bytes] = new Uint32Array(this.c.memory.buffer, at, 5)
        if (this.text(record) === "neonsim_layer") found[this.text(name)] = { offset, bytes }
      }
      return found
    })
  }

  /** Families of kernels, best first. @returns {Family[]} */
  families() {
    return this.with_memory(8, at => {
      const found = []
      for (let i = 0; this.c.neonsim_family_info(i, at, at + 4) === SUCCESS; i++) {
        const [name, missing] = new Uint32Array(this.c.memory.buffer, at, 2)
        found.push({ name: this.text(name), missing: missing === 0 ? null : this.text(missing) })
      }
      return found
    })
  }

  /** Multiply-accumulates in a second of a family's inner loop, operands in registers. @param {string} family */
  peak(family) { return this.named(family, name => this.c.neonsim_probe_peak(name, 10)) }

  /** @template T @param {string} text @param {(address: number) => T} use */
  named(text, use) {
    const bytes = new TextEncoder().encode(`${text}\0`)
    return this.with_memory(bytes.length, at => {
      new Uint8Array(this.c.memory.buffer).set(bytes, at)
      return use(at)
    })
  }

  /** Plan a saved network. Throws where the bytes are none, or the library refuses it.
   * @param {Uint8Array} bytes @param {string} family */
  network(bytes, family) { return new Network(this, new Reader(bytes), family) }
}

/** A file, front to back. */
class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) { this.bytes = bytes; this.at = 0 }

  /** @param {number} count */
  take(count) {
    if (this.at + count > this.bytes.length) throw new Error(`not a network: it ends after ${this.bytes.length} bytes`)
    return this.bytes.subarray(this.at, this.at += count)
  }

  u32() { const four = this.take(4); return new DataView(four.buffer, four.byteOffset).getUint32(0, true) }
}

class Network {
  /** @param {Library} library @param {Reader} file @param {string} family */
  constructor(library, file, family) {
    this.library = library
    if (new TextDecoder("latin1").decode(file.take(4)) !== MAGIC) throw new Error(`not a network: it does not begin with ${MAGIC}`)
    const count = file.u32()
    this.bytes = file.u32()
    if (file.u32() !== 0 || count > MOST_LAYERS) throw new Error("not a network that fits here")
    /** @type {number[]} */ this.held = []
    try {
      this.handle = this.plan(this.layers(file, count), count, family)
    } finally {
      for (const address of this.held) library.c.free(address)
    }
    this.arena.set(file.take(this.bytes))
  }

  /** Bytes of the file in the library's memory; freed once the network is planned. @param {Uint8Array} bytes */
  hold(bytes) {
    const address = this.library.c.malloc(bytes.length || 1)
    if (address === 0) throw new Error(`no memory for ${bytes.length} bytes`)
    this.held.push(address)
    new Uint8Array(this.library.c.memory.buffer).set(bytes, address)
    return address
  }

  /** @param {Reader} file @param {number} count */
  layers(file, count) {
    const fields = this.library.fields
    const size = fields[""].bytes, fixed = fields.scales.offset + fields.scales.bytes
    const layers = this.hold(new Uint8Array(size * count))
    for (let i = 0; i < count; i++) {
      const own = file.take(fixed)
      const counts = [file.u32(), file.u32(), file.u32()]
      const places = [4 * counts[0], counts[1], 4 * counts[2]].map(bytes => bytes === 0 ? 0 : this.hold(file.take(bytes)))
      const at = layers + size * i
      new Uint8Array(this.library.c.memory.buffer).set(own, at)
      for (const [j, name] of ["scale", "weights", "bias"].entries()) {
        this.library.view().setUint32(at + fields[name].offset, places[j], true)
      }
    }
    return layers
  }

  /** @param {number} layers @param {number} count @param {string} family @returns {number} */
  plan(layers, count, family) {
    const { c } = this.library
    return this.library.with_memory(4, out => {
      const status = this.library.named(family, name => c.neonsim_network_create(layers, count, this.bytes, name, out, 0))
      if (status !== SUCCESS) throw new Error(`${family}: ${this.library.text(c.neonsim_status_text(status))}`)
      return this.library.view().getUint32(out, true)
    })
  }

  /** The tensors; memory that grows leaves views behind, so it is made anew. */
  get arena() {
    const { c } = this.library
    return new Uint8Array(c.memory.buffer, c.neonsim_network_arena(this.handle), this.bytes)
  }

  /** All layers once; milliseconds. */
  run() {
    const before = performance.now()
    const status = this.library.c.neonsim_network_run(this.handle, 1, 0)
    if (status !== SUCCESS) throw new Error(this.library.text(this.library.c.neonsim_status_text(status)))
    return performance.now() - before
  }

  close() {
    this.library.c.neonsim_network_destroy(this.handle)
    this.handle = 0
  }
}
