// SPDX-License-Identifier: Apache-2.0
// Browsers start no worker for a page of the file system, and the search of the theme needs one. There, a
// hidden frame takes its place: the same script, the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.appendChild(frame);
      this.scope = frame.contentWindow;
      this.loaded = new Promise((resolve) => {
        this.scope.postMessage = (data) => this.receive(data);
        this.scope.importScripts = (...urls) =>
          urls.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
        this.load(url).then(resolve);
      });
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.scope.document.createElement("script");
        script.src = url;
        script.onload = resolve;
        script.onerror = reject;
        this.scope.document.body.appendChild(script);
      });
    }

    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }

    postMessage(data) {
      this.loaded.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.scope.frameElement.remove();
    }
  };
}
