// Keeps the playground for a second visit without a network. Its name of what is kept is a digest of all files: another build is
// another name.

const KEPT = "DIGEST", FILES = [];

self.addEventListener("install", (event) => event.waitUntil((async () => {
  // Asked for anew, so that none is of the build before; what is the same is not sent again.
  await (await caches.open(KEPT)).addAll(FILES.map((name) => new Request(name, { cache: "no-cache" })));
  await self.skipWaiting();
})()));
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("neonsim-play-") && name !== KEPT) await caches.delete(name);
  await self.clients.claim();
})()));
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith((async () => (await (await caches.open(KEPT)).match(event.request, { ignoreSearch: true })) ?? fetch(event.request))());
});
