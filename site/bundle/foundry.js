// Adds the states of the game to the status effects of tokens, without changes: those belong to a system.
Hooks.once("init", () => {
  const id = import.meta.url.split("/").at(-2);
  for (const effect of game.modules.get(id).flags[id].statusEffects) {
    // A list in version 13, a record by id in version 14.
    if (Array.isArray(CONFIG.statusEffects)) CONFIG.statusEffects.push(effect);
    else CONFIG.statusEffects[effect.id] = effect;
  }
});
