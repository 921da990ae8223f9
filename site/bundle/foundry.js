// Adds the states of the game to the status effects of tokens. They have no Active Effect changes, which a system must
// define.
Hooks.once("init", () => {
  const id = /** @type {string} */ (import.meta.url.split("/").at(-2));
  const { flags } = /** @type {{ flags: Record<string, { statusEffects: CONFIG.StatusEffect[] }> }} */ (
    /** @type {unknown} */ (game.modules.get(id))
  );
  // `CONFIG.statusEffects` is a list in version 13, and a record by id in version 14.
  const all = /** @type {CONFIG.StatusEffect[] | Record<string, CONFIG.StatusEffect>} */ (CONFIG.statusEffects);
  for (const effect of flags[id].statusEffects) {
    if (Array.isArray(all)) all.push(effect);
    else all[effect.id] = effect;
  }
});
