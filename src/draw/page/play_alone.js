// The page asks itself: an engine in a worker for each model, so that no key waits for it.

// The work of a worker: a message has either files or a question.
function work() {
  const engine = new Engine();
  onmessage = async ({ data: { files, path, question } }) => {
    try {
      postMessage({ answer: files ? await engine.load(files) : engine.answer(path, question) });
    } catch (error) {
      postMessage({ error: error.message });
    }
  };
}

class EngineThread {
  constructor(files) {
    const program = new Blob([`"use strict";\n${Engine}\n(${work})();`], { type: "text/javascript" });
    this.worker = new Worker(URL.createObjectURL(program));
    this.loaded = this.post({ files });
    this.last = this.loaded;  // what is waited for
  }

  post(message) {
    return new Promise((done, failed) => {
      this.worker.onmessage = ({ data }) => data.error ? failed(new Error(data.error)) : done(data.answer);
      this.worker.postMessage(message);
    });
  }

  // One question after another. One that was given up meanwhile is left out.
  ask(path, question, signal) {
    const answer = this.last.then(() => this.loaded).then(() => {
      signal.throwIfAborted();
      return this.post({ path, question });
    });
    this.last = answer.catch(() => {});
    return answer;
  }
}

function threadOf(model) {
  return model.thread ??= new EngineThread({ program: given.program, ...model.files });
}

function ask(path, question, signal) {
  return threadOf(given.models.find(one => one.name === question.model)).ask(path, question, signal);
}

addEventListener("load", () => given.models.forEach(threadOf));
