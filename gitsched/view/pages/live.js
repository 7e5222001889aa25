"use strict";
// Only this page's own server is asked; what comes is the same page again, of which the middle is exchanged.
const told = document.getElementById("live");
const pick = () => [...document.querySelectorAll("main a")];

async function renew() {
  const answer = await fetch(location.href, { cache: "no-store" });
  if (!answer.ok) { return; }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = document.querySelector("main"), fresh = page.querySelector("main");
  const open = [...main.querySelectorAll("details[open]")].map((part) => part.id);
  const closed = [...main.querySelectorAll("details:not([open])")].map((part) => part.id);
  const key = document.activeElement && document.activeElement.dataset.key;
  const before = document.getElementById("log");
  const follows = before && before.scrollHeight - before.scrollTop - before.clientHeight < 40;
  main.replaceChildren(...fresh.childNodes);
  for (const part of main.querySelectorAll("details")) {
    if (open.includes(part.id)) { part.open = true; }
    if (closed.includes(part.id)) { part.open = false; }
  }
  if (key) {
    const again = pick().find((link) => link.dataset.key === key);
    if (again) { again.focus({ preventScroll: true }); }
  }
  const log = document.getElementById("log");
  if (log && follows) { log.scrollTop = log.scrollHeight; }
  document.title = page.title;
}

let running = false, wanted = false;
async function renewOnce() {
  if (running) { wanted = true; return; }
  running = true;
  try { do { wanted = false; await renew(); } while (wanted); } finally { running = false; }
}

function again() { renewOnce().catch(() => { told.textContent = "connecting…"; }); }

function listen(address) {
  const source = new EventSource(address);
  source.addEventListener("open", () => { told.textContent = "live"; });
  source.addEventListener("changed", again);
  source.addEventListener("error", () => {
    told.textContent = "connecting…";
    if (source.readyState !== EventSource.CLOSED) { return; }
    // No stream is free: look again now and then, and try for one.
    setTimeout(() => { again(); listen(address); }, 5000);
  });
}

if (document.body.dataset.events) { listen(document.body.dataset.events); }

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) { return; }
  const links = pick(), at = links.indexOf(document.activeElement);
  if (event.key === "j" && links.length) { links[Math.min(at + 1, links.length - 1)].focus(); }
  if (event.key === "k" && links.length) { links[Math.max(at - 1, 0)].focus(); }
  if (event.key === "u") {
    const up = [...document.querySelectorAll("header nav a")];
    if (up.length > 1) { location.href = up[up.length - 2].href; }
  }
});
