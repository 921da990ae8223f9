// Keep the website on the device, so that it opens without a network: one cache for each version of the whole tree.
// The build writes `const VERSION` above this line; offline.json lists what belongs to that version, by its digests.
"use strict";

const ROOT = registration.scope;
const CACHE = `kismet ${ROOT} ${VERSION}`;
const LIST = "offline.json";
const ABSENT = "offline.html";
/** A game that is larger is not fetched unasked: of it the pages stay that were seen. */
const LARGEST_GAME = 30e6;
const AT_ONCE = 4;

/** The path in the tree of an address: a folder stands for its index. */
const path = (address) => {
  const { origin, pathname } = new URL(address);
  const bare = decodeURIComponent((origin + pathname).slice(ROOT.length));
  return bare === "" || bare.endsWith("/") ? `${bare}index.html` : bare;
};
const address = (name) => ROOT + encodeURIComponent(name).replaceAll("%2F", "/");
const cacheNow = () => caches.open(CACHE);
const ownCaches = async () => (await caches.keys()).filter((name) => name.startsWith(`kismet ${ROOT} `));
const isPage = (name) => name.endsWith(".html");

/** Whether the server is known to have another version. What comes from it then is not mixed with what is kept. */
const isOld = () => Boolean(registration.installing || registration.waiting);

/** A file of the server, in a form that can be given for any request: hosts redirect `index.html` to its folder. */
async function fetched(name, cache = "no-cache") {
  const response = await fetch(address(name), { cache, priority: "low" });
  if (!response.ok) throw new Error(`${response.status} for ${name}`);
  return copied(response);
}

const copied = (response) => new Response(response.body, { status: response.status, headers: response.headers });

const listed = async (cache) => (await cache.match(address(LIST))).json();

/** What belongs to this version, read once. */
let own;
const list = () => (own ??= cacheNow().then(listed));

/** The names of what a cache holds. */
const names = async (cache) => (await cache.keys()).map((request) => path(request.url));

/** Do something with each of some names, a few at a time. */
async function each(names, work) {
  const left = [...names];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left.length) await work(left.shift());
  }));
}

// --- a version comes

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));

/** Fetch what every page needs, and anew what was kept of the version before; all of it, or this version is not taken. */
async function install() {
  await caches.delete(CACHE);
  const cache = await cacheNow();
  const response = await fetched(LIST, "reload");
  const list = await response.clone().json();
  if (list.version !== VERSION) throw new Error("the server is between two versions");
  const before = await previous();
  const wanted = new Set([...list.shell, ...before.kept.filter((name) => name in list.files)]);
  await each(wanted, async (name) => {
    const was = before.files[name];
    const same = was === list.files[name] && (await before.cache.match(address(name)));
    // What has changed is not asked whether it has: by its date, to the second, it may seem not to have.
    await cache.put(address(name), same || (await fetched(name, was ? "reload" : "no-cache")));
  });
  await cache.put(address(LIST), response);
  if (await matters(list, before)) return;
  await skipWaiting();
}

/** What is kept of an earlier version: the names, and the digests of all files of that time. */
async function previous() {
  for (const name of (await ownCaches()).reverse()) {
    const cache = await caches.open(name);
    if (name === CACHE || !(await cache.match(address(LIST)))) continue;
    return { cache, kept: await names(cache), files: (await listed(cache)).files };
  }
  return { kept: [], files: {} };
}

/** Tell the pages that are open and were changed; false where none is, so that the new version can take over unseen. */
async function matters(list, before) {
  const isNew = (name) => name in before.files && before.files[name] !== list.files[name];
  const shell = list.shell.some((name) => !isPage(name) && isNew(name));
  const open = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const ours = open.filter((client) => client.url.startsWith(ROOT));
  const changed = ours.filter((client) => shell || isNew(path(client.url)));
  for (const client of changed) client.postMessage("changed");
  return changed.length > 0;
}

async function activate() {
  for (const name of await ownCaches()) {
    if (name !== CACHE) await caches.delete(name);
  }
  await clients.claim();
}

// --- a page asks

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(ROOT)) event.respondWith(answer(event, path(request.url)));
});

async function answer(event, name) {
  const { request } = event;
  const isVisit = request.mode === "navigate";
  if (isVisit && registration.waiting && (await clients.matchAll({ type: "window" })).length < 2) {
    // Nothing else is open that the old version has to serve: the new one takes over and is asked again.
    registration.waiting.postMessage("take over");
    return new Response("", { headers: { Refresh: "0" } });
  }
  const cache = await cacheNow();
  const kept = await cache.match(address(name));
  if (kept && !isOld()) return kept;
  const ours = name in (await list()).files;
  try {
    // The page of a newer version wants the style of that version: look which it is before anything is shown.
    const [response] = await Promise.all([fetch(request, ours ? { cache: "no-cache" } : {}), ours && isVisit && look()]);
    if (ours && response.ok && !isOld()) event.waitUntil(cache.put(address(name), copied(response.clone())));
    return response;
  } catch (problem) {
    if (kept) return kept;
    if (isVisit) return absent(cache, request.url);
    throw problem;
  }
}

const look = () => registration.update().catch(() => {});

/** The page that says that a page is not kept, with the games that are. */
async function absent(cache, wanted) {
  const page = await (await cache.match(address(ABSENT))).text();
  const kept = new Set(await names(cache));
  const escaped = wanted.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const html = page
    .replace('<base href="./">', `<base href="${ROOT}">`)
    .replace('href="?again"', () => `href="${escaped}"`)
    .replace(/^<li data-kept="([^"]+)">.*\n/gm, (line, name) => (kept.has(name) ? line : ""));
  return new Response(html, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
}

// --- a page says something

addEventListener("message", (event) => {
  if (event.data === "take over") event.waitUntil(skipWaiting());
  else if (event.data.keep) event.waitUntil(keepMore(event.source.url, event.data.keep === "game"));
});

/** Keep the page that is open and the home of its game, and then the rest of its game where that is wanted. */
async function keepMore(open, wholeGame) {
  const cache = await cacheNow();
  const { files, games } = await list();
  const page = path(open);
  const game = page.split("/")[0];
  const whole = wholeGame && games[game] <= LARGEST_GAME;
  const data = [`assets/${game}-`];
  const folders = whole ? [...data, `${game}/`, `assets/${game}/`, `assets/pagefind/${game}/`] : data;
  const ofGame = (name) => folders.some((folder) => name.startsWith(folder));
  const kept = new Set(await names(cache));
  const wanted = [page, `${game}/index.html`, ...Object.keys(files).filter(ofGame)].filter((name) => name in files && !kept.has(name));
  if (wanted.length) await look();
  await each(wanted, async (name) => {
    const response = isOld() ? null : await fetched(name).catch(() => null);
    if (response && !isOld()) await cache.put(address(name), response);
  });
}
