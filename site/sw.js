// Service worker: caches the website so that it opens offline. Each version of the website has its own cache. The build
// writes `const VERSION` above this line. offline.json lists the files that every page needs. For each game, it has the
// digest of another list, with the files of the game, because a library may have thousands of games, of which a reader
// opens only a few.
"use strict";

const ROOT = registration.scope;
const CACHE = `kismet ${ROOT} ${VERSION}`;
const LIST = "offline.json";
const OFFLINE_PAGE = "offline.html";
/** Maximum size, in bytes, of a game that is cached completely. For a larger game, only visited pages are cached. */
const MAX_GAME_BYTES = 30e6;
/** Maximum number of simultaneous downloads. */
const CONCURRENCY = 4;

const HTML = { "Content-Type": "text/html; charset=utf-8" };
/**
 * An empty page that reloads when another worker controls it. Chromium may never answer a request to a worker that is
 * being stopped, so the page sends no request before that. The refresh is for browsers that do not report the new
 * worker.
 */
const WAITING_PAGE = `<!doctype html><meta name="color-scheme" content="light dark"><meta http-equiv="refresh" content="5"><script>
navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
navigator.serviceWorker.getRegistration().then((found) => found?.waiting || location.reload());
</script>`;

/** The output path of a URL. The URL of a folder stands for its index.html. */
const path = (address) => {
  const { origin, pathname } = new URL(address);
  const bare = decodeURIComponent((origin + pathname).slice(ROOT.length));
  return bare === "" || bare.endsWith("/") ? `${bare}index.html` : bare;
};
const address = (name) => ROOT + encodeURIComponent(name).replaceAll("%2F", "/");
const cacheNow = () => caches.open(CACHE);
const ownCaches = async () => (await caches.keys()).filter((name) => name.startsWith(`kismet ${ROOT} `));
const isPage = (name) => name.endsWith(".html");

/**
 * Whether the server is known to have another version. If so, its responses are not stored in the cache of this
 * version.
 */
const isOutdated = () => Boolean(registration.installing || registration.waiting);

// Fetch a file and copy the response: some hosts redirect `index.html` to its folder, and browsers refuse a redirected response
// for a navigation.
async function fetched(name, cache = "no-cache") {
  const response = await fetch(address(name), { cache, priority: "low" });
  if (!response.ok) throw new Error(`${response.status} for ${name}`);
  return copied(response);
}

const copied = (response) => new Response(response.body, { status: response.status, headers: response.headers });

/** `listOf` is the path of the list of a game, and `gameOf` is the game of such a path. */
const listOf = (game) => `assets/${game}-${LIST}`;
const gameOf = (name) => name.match(/^assets\/(.*)-offline\.json$/)?.[1];

/**
 * The list in a response, with an object for the lists of games. Its objects have no prototype, because a game may be
 * called `constructor`.
 */
async function read(response) {
  const list = await response.json();
  return { ...list, games: { __proto__: null, ...list.games }, known: { __proto__: null } };
}
/** All lists in a cache, merged to `{shell, games, files, known}`. `known` has the lists of games. */
async function listed(cache) {
  const list = await read(await cache.match(address(LIST)));
  for (const game of (await names(cache)).map(gameOf))
    if (game in list.games) add(list, game, await (await cache.match(address(listOf(game)))).json());
  return list;
}
const add = (list, game, ofGame) => {
  list.known[game] = ofGame;
  Object.assign(list.files, ofGame.files);
};

/**
 * Add the list of a game to merged lists, from an earlier cache if it is unchanged, or else from the server. False if
 * the server has another version.
 */
async function learn(list, game, cache, before) {
  const digest = async (response) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer()))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, list.games[game].length);
  const name = listOf(game);
  let response = await before?.match(address(name));
  if (!response || (await digest(response)) !== list.games[game]) response = await fetched(name, "reload");
  if ((await digest(response)) !== list.games[game]) return false;
  add(list, game, await response.clone().json());
  await cache.put(address(name), response);
  return true;
}

/** The merged lists of this version, which are read once. */
let own;
const list = () => (own ??= cacheNow().then(listed));

/** The output paths of all files in a cache. */
const names = async (cache) => (await cache.keys()).map((request) => path(request.url));

/** Run an async function for all names, at most CONCURRENCY at a time. */
async function forEachConcurrently(names, work) {
  const left = [...names];
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    while (left.length) await work(left.shift());
  }));
}

// --- install and activate a version

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));

/**
 * Cache the files that every page needs, and the files that the previous version had cached. If any file fails, so does
 * the install.
 */
async function install() {
  await caches.delete(CACHE);
  const cache = await cacheNow();
  const response = await fetched(LIST, "reload");
  const list = await read(response.clone());
  const isBetween = () => new Error("the server is between two versions");
  if (list.version !== VERSION) throw isBetween();
  const before = await previous();
  for (const game of before.kept.map(gameOf))
    if (game in list.games && !(await learn(list, game, cache, before.cache))) throw isBetween();
  const wanted = new Set([...list.shell, ...before.kept.filter((name) => name in list.files)]);
  await forEachConcurrently(wanted, async (name) => {
    const was = before.files[name];
    const same = was === list.files[name] && (await before.cache.match(address(name)));
    // Bypass the HTTP cache for a changed file. Last-Modified has a resolution of one second, so revalidation may miss
    // a change.
    await cache.put(address(name), same || (await fetched(name, was ? "reload" : "no-cache")));
  });
  await cache.put(address(LIST), response);
  if (await notifyChangedPages(list, before)) return;
  await skipWaiting();
}

/** The newest earlier cache, with the paths of its files, and the digests of all files of its version. */
async function previous() {
  for (const name of (await ownCaches()).reverse()) {
    const cache = await caches.open(name);
    if (name === CACHE || !(await cache.match(address(LIST)))) continue;
    return { cache, kept: await names(cache), files: (await listed(cache)).files };
  }
  return { kept: [], files: {} };
}

/**
 * Notify open pages that this version changes. Returns false if there are none: the version can activate immediately.
 */
async function notifyChangedPages(list, before) {
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

// --- respond to requests

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(ROOT)) event.respondWith(respond(event, path(request.url)));
});

async function respond(event, name) {
  const { request } = event;
  const isVisit = request.mode === "navigate";
  if (isVisit && registration.waiting && (await clients.matchAll({ type: "window" })).length < 2) {
    // No other page needs the old version, so activate the new one, and then repeat the request.
    registration.waiting.postMessage("take over");
    return new Response(WAITING_PAGE, { headers: HTML });
  }
  const cache = await cacheNow();
  const kept = await cache.match(address(name));
  if (kept && !isOutdated()) return kept;
  const site = await list();
  const [game] = name.split("/");
  const isUnknown = isVisit && game in site.games && !(game in site.known);
  let ours = isUnknown || name in site.files;
  try {
    // A page of a newer version needs the style sheet of that version, so check for an update before the page is shown.
    const load = () => fetch(request, ours ? { cache: "no-cache" } : {});
    // Retry a page once, because the first request after a change of server or network may use a dead connection.
    const [response] = await Promise.all([
      isVisit ? load().catch(load) : load(),
      ours && isVisit && checkForUpdate(),
      isUnknown && learn(site, game, cache).catch(() => {}),
    ]);
    ours = name in site.files;
    if (ours && response.ok && !isOutdated()) event.waitUntil(cache.put(address(name), copied(response.clone())));
    return response;
  } catch (problem) {
    if (kept) return kept;
    if (isVisit) return offlinePage(cache, request.url);
    throw problem;
  }
}

const checkForUpdate = () => registration.update().catch(() => {});

/** The page shown in place of a page that is not cached and cannot be fetched. It lists the cached games. */
async function offlinePage(cache, wanted) {
  const page = await (await cache.match(address(OFFLINE_PAGE))).text();
  const kept = new Set(await names(cache));
  const escaped = wanted.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const items = [];
  for (const game of Object.keys((await list()).known).sort()) {
    const home = `${game}/index.html`;
    if (kept.has(home)) items.push(`<li><a href="${home}">${(await (await cache.match(address(home))).text()).match(/<title>([^<]*)/)[1]}</a></li>`);
  }
  const html = page
    .replace('<base href="./">', `<base href="${ROOT}">`)
    .replace('href="?again"', () => `href="${escaped}"`)
    .replace("<!-- games -->", () => items.join("\n"));
  return new Response(html, { status: 503, headers: HTML });
}

// --- messages from pages

addEventListener("message", (event) => {
  if (event.data === "take over") event.waitUntil(skipWaiting());
  else if (event.data.keep) event.waitUntil(cacheMore(event.source.url, event.data.keep === "game"));
});

/** Cache the open page and its game's home page, My table and data; on request, all of a game that is small enough. */
async function cacheMore(open, wholeGame) {
  const cache = await cacheNow();
  const site = await list();
  const page = path(open);
  const game = page.split("/")[0];
  if (game in site.games && !(game in site.known)) await learn(site, game, cache).catch(() => {});
  const { size, files } = site.known[game] ?? { size: 0, files: {} };
  const whole = wholeGame && size <= MAX_GAME_BYTES;
  const ofGame = Object.keys(files).filter((name) => whole || name.startsWith(`assets/${game}-`));
  const kept = new Set(await names(cache));
  const wanted = [page, `${game}/index.html`, `${game}/table/index.html`, ...ofGame].filter((name) => name in site.files && !kept.has(name));
  if (wanted.length) await checkForUpdate();
  await forEachConcurrently(wanted, async (name) => {
    const response = isOutdated() ? null : await fetched(name).catch(() => null);
    if (response && !isOutdated()) await cache.put(address(name), response);
  });
}
