// A model and its engine: src/web/ as WebAssembly. `files`: {program, settings, weights, source, target}, each base64 of
// a zlib stream; `target` is left out where it is the same vocabulary.
class Engine {
  async load(files) {
    const unpacked = async text => {
      const packed = await fetch(`data:application/octet-stream;base64,${text}`);
      const stream = packed.body.pipeThrough(new DecompressionStream("deflate"));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    };
    this.parts = {};
    for (const [name, text] of Object.entries(files)) this.parts[name] = await unpacked(text);
    this.program = await WebAssembly.compile(this.parts.program);
  }

  // Without exceptions in it (src/web/wasm/raise.cpp), a program is of no use after an error.
  start() {
    const system = { clock_time_get: () => 0 };
    const nothing = new Proxy(system, { get: (known, name) => known[name] ?? (() => 8) });  // 8: no such file
    const raise = (at, bytes) => {
      throw new Error(new TextDecoder().decode(new Uint8Array(this.calls.memory.buffer, at, bytes)));
    };
    this.calls = new WebAssembly.Instance(this.program, { page: { raise }, wasi_snapshot_preview1: nothing }).exports;
    this.calls._initialize();
    const { settings, weights, source, target = source } = this.parts;
    this.calls.load(...[settings, weights, source, target].flatMap(part => this.put(part)));
  }

  put(bytes) {
    const at = this.calls.room(bytes.length);
    new Uint8Array(this.calls.memory.buffer).set(bytes, at);
    return [at, bytes.length];
  }

  // The JSON that heed serve would answer. Throws an Error with its message.
  answer(path, question) {
    try {
      if (!this.calls) this.start();
      const at = this.calls.answer(...this.put(new TextEncoder().encode(JSON.stringify({ path, ...question }))));
      const memory = new Uint8Array(this.calls.memory.buffer);
      return JSON.parse(new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at))));
    } catch (error) {
      this.calls = null;
      throw error;
    }
  }
}
