// Computes how the states of both sides change a roll, from the rolls and effects of a game. It does not use the DOM,
// so tests can run it in Node.js.
(() => {
  // The sides: the roller, and the other one.
  const SIDES = ["on", "target"];
  // Marks the value of an effect that the reader has to enter.
  const GIVEN = "given";

  const rollOf = (game, id) => game.rolls.find((roll) => roll.id === id);
  const calculatorOf = (game, id) => game.calculators[rollOf(game, id).calculator];
  /** The ids of a roll and of the rolls that contain it. */
  const around = (game, id) => (id ? [id, ...around(game, rollOf(game, id)?.within)] : []);
  /**
   * The titles of the narrower rolls that an effect on the `named` rolls is limited to. Empty if the effect changes the
   * roll in any case, null if it does not change the roll.
   */
  const restriction = (game, id, named) => {
    if (around(game, id).some((outer) => named.includes(outer))) return [];
    const narrower = game.rolls.filter((roll) => named.includes(roll.id) && around(game, roll.id).includes(id));
    return narrower.length ? narrower.map((roll) => roll.title) : null;
  };
  /** Whether one of the named states is chosen on a side. */
  const isChosen = (chosen, side, states) => states?.some((state) => (chosen[side] ?? []).some(({ id }) => id === state)) ?? false;
  /** The conditions that no chosen state of either side meets, as worded for readers. */
  const openOf = (asks, side, chosen) => {
    const other = SIDES.find((its) => its !== side);
    return asks.filter((ask) => !isChosen(chosen, side, ask.own) && !isChosen(chosen, other, ask.other)).map((ask) => ask.says);
  };
  /**
   * How an effect of a state on one side changes a roll. `input`: the input that the effect feeds. `asks`: its open
   * conditions. `isException`: whether its only condition is an exception. `isExcepted`: whether a chosen state is that
   * exception. Null if the effect does not change the roll.
   */
  const concern = (game, rollId, side, effect, chosen = {}) => {
    const roll = rollOf(game, rollId);
    const isRoller = (effect.whose === "own") === (side === "on");
    const [id, inputs] = isRoller ? [roll.id, roll.inputs] : [roll.against?.roll, roll.against?.inputs];
    const only = id && restriction(game, id, effect.roll ?? []);
    const name = only && inputs[effect.operation];
    if (!name) return only ? { input: null } : null;
    const input = calculatorOf(game, rollId).inputs.find((candidate) => candidate.name === name);
    const isException = !only.length && effect.exception === true;
    const isExcepted = isException && effect.asks.some((ask) => isChosen(chosen, side, ask.unless));
    return { input, asks: [...only, ...openOf(effect.asks ?? [], side, chosen)], isException, isExcepted };
  };
  /** The ids of the states on one side that change a roll. */
  const offered = (game, rollId, side) =>
    Object.keys(game.states).filter((id) => game.states[id].effects.some((effect) => concern(game, rollId, side, effect)?.input));

  /**
   * The effects of chosen states. `applied` have values for inputs, `asked` need an answer or a value, and `left` have
   * no input in the calculator, or another effect replaces them. `chosen` has a list of states `{id, yes, given}` for
   * each side. `yes` has the positions of effects whose condition or exception the reader ticked. `given` has the
   * values that the reader entered, by position of the effect.
   */
  const sorted = (game, rollId, chosen) => {
    const found = { applied: [], asked: [], left: [] };
    for (const side of SIDES)
      for (const { id, yes = [], given = {} } of chosen[side] ?? [])
        game.states[id]?.effects.forEach((effect, place) => {
          const concerned = concern(game, rollId, side, effect, chosen);
          // An effect that ends a state, or on another roll, does not change this roll.
          if (effect.operation === "ends" || (effect.roll && !concerned)) return;
          const line = { side, id, place, effect, input: concerned?.input, asks: concerned?.asks ?? openOf(effect.asks ?? [], side, chosen), isException: concerned?.isException ?? false };
          const values = effect.value === GIVEN ? given[place] ?? [] : [effect.value];
          if (!line.input || values[0] === null) found.left.push(line);
          else if ((line.asks.length && (yes.includes(place) || concerned.isExcepted) === line.isException) || !values.length) found.asked.push(line);
          else found.applied.push({ ...line, values });
        });
    // An input with a single value takes the last value.
    const last = new Map(found.applied.filter(({ input }) => !input.many).map(({ input, values }) => [input.name, values.at(-1)]));
    const isReplaced = ({ input, values }) => !input.many && values.at(-1) !== last.get(input.name);
    found.left.push(...found.applied.filter(isReplaced).map((line) => ({ ...line, isReplaced: true })));
    found.applied = found.applied.filter((line) => !isReplaced(line));
    return found;
  };
  /** Set the inputs of the calculator in `scope` to the values of applied effects, or add them to a list. */
  const feed = (game, applied, scope) => {
    for (const { input, values } of applied) {
      const taken = input.type === "entity" ? values.map((value) => kismet.inputs.entity(input, value, game.library)) : values;
      scope[input.name] = input.many ? [...scope[input.name], ...taken] : taken.at(-1);
    }
  };
  /**
   * The result of a roll with chosen states, and the effects as returned by `sorted`. `values`: by the name of an
   * input; any other input has its default.
   */
  const work = (game, rollId, chosen, values = {}) => {
    const { calculator } = rollOf(game, rollId);
    const scope = {};
    for (const input of game.calculators[calculator].inputs) {
      scope[input.name] = kismet.inputs.resolve(input, values[input.name] ?? input.default, game.library);
    }
    const found = sorted(game, rollId, chosen);
    feed(game, found.applied, scope);
    const inputs = { ...scope };
    const { steps, ast } = game.library.calculators[calculator];
    for (const [name, tree] of steps) scope[name] = kismet.evaluate(tree, scope, game.library);
    return { ...found, inputs, result: kismet.evaluate(ast, scope, game.library) };
  };

  (globalThis.kismet ??= {}).situation = { SIDES, GIVEN, concern, offered, sorted, feed, work };
})();
