// Exact odds of a dice tree, with the results and limits of odds.py and bounds.py.
(() => {
  const { log2, log1p, expm1, max, min, floor, ceil, abs } = Math;
  const refuse = (message) => {
    throw Object.assign(Error(message), { code: "large" });
  };
  const figure = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  const total = (numbers, zero = 0) => numbers.reduce((sum, number) => sum + number, zero);
  const range = (length) => [...Array(length).keys()];

  // --- weights: the number of ways to reach each result, as BigInt

  const gathered = (pairs) => {
    const weights = new Map();
    for (const [value, ways] of pairs) weights.set(value, (weights.get(value) ?? 0n) + ways);
    return weights;
  };
  const possible = (pairs) => new Map(pairs.filter(([, ways]) => ways));
  const changed = (weights, change) => gathered([...weights].map(([value, ways]) => [change(value), ways]));
  const sum = (weights) => total([...weights.values()], 0n);
  const ends = (weights) => [...weights.keys()].reduce(([low, high], value) => [min(low, value), max(high, value)], [1 / 0, -1 / 0]);

  // Pack weights into one BigInt, each with enough digits for the largest: a product is then a convolution.
  const digits = (number) => number.toString(16).length;
  const packed = (weights, width) => {
    const [low, high] = ends(weights);
    const places = range(high - low + 1).map((n) => (weights.get(high - n) ?? 0n).toString(16).padStart(width, "0"));
    return BigInt("0x" + places.join(""));
  };
  const unpacked = (number, low, span, width) => {
    const text = number.toString(16).padStart(span * width, "0");
    return possible(range(span).map((n) => [low + n, BigInt("0x" + text.substr((span - 1 - n) * width, width))]));
  };
  const sumOf = (left, right) => {
    const [[low, high], [least, most]] = [ends(left), ends(right)];
    const span = high + most - low - least + 1;
    if (left.size * right.size <= span)
      return gathered([...left].flatMap(([a, ways]) => [...right].map(([b, more]) => [a + b, ways * more])));
    const width = digits(sum(left) * sum(right));
    return unpacked(packed(left, width) * packed(right, width), low + least, span, width);
  };
  const times = (weights, count) => {
    if (count === 1) return weights;
    const [[low, high], n] = [ends(weights), BigInt(count)];
    const width = digits(sum(weights) ** n);
    return unpacked(packed(weights, width) ** n, low * count, (high - low) * count + 1, width);
  };
  const choice = (which, rolls) => {
    const values = [...new Set(rolls.flatMap((roll) => [...roll.keys()]))].sort((a, b) => (which === "min" ? b - a : a - b));
    const reached = rolls.map(() => 0n);
    let before = 0n;
    return possible(
      values.map((value) => {
        rolls.forEach((roll, place) => (reached[place] += roll.get(value) ?? 0n));
        const all = reached.reduce((a, b) => a * b);
        const ways = all - before;
        before = all;
        return [value, ways];
      }),
    );
  };

  // --- dice

  /** Maximum rolls of one exploding die. */
  const rollsBound = (faces) => {
    let rolls = 1;
    for (let reach = faces; reach < 1e14; reach *= faces) rolls++;
    return rolls;
  };
  /** Maximum new dice of an exploding pool, and its chance. */
  const newDice = (count, faces) => {
    const [n, f] = [BigInt(count), BigInt(faces)];
    let [most, all, ways] = [0n, f ** n, (f - 1n) ** n];
    let last;
    for (let left = all - ways; left * BigInt(1e14) >= all; left = left * f - ways) {
      last = [left, all];
      most++;
      all *= f;
      ways = (ways * (n + most - 1n)) / most;
    }
    return [Number(most), last];
  };
  const die = (faces, again) => {
    if (!again) return new Map(range(faces).map((n) => [n + 1, 1n]));
    const rolls = rollsBound(faces);
    const before = range(rolls).flatMap((n) => {
      const ways = BigInt(faces) ** BigInt(rolls - 1 - n);
      return range(faces - 1).map((face) => [n * faces + face + 1, ways]);
    });
    return new Map([...before, [rolls * faces, 1n]]);
  };
  /** Binomial coefficients of `count` over 0, 1, 2 and so on. */
  const picks = (count, length) => {
    let ways = 1n;
    return range(length).map((n) => (n ? (ways = (ways * BigInt(count - n + 1)) / BigInt(n)) : ways));
  };
  /** An exploding pool: the weighted sum of the cases with 0, 1, 2 and so on highest faces. */
  const mixed = ({ count, faces }, pool) => {
    const [[most], f] = [newDice(count, faces), BigInt(faces)];
    const stop = (f - 1n) ** BigInt(count);
    let [ways, rest] = [1n, f ** BigInt(count + most)];
    return gathered(
      range(most + 1).flatMap((tops) => {
        const chance = tops < most ? ways * stop * f ** BigInt(most - tops) : rest;
        rest -= chance;
        ways = (ways * BigInt(count + tops)) / BigInt(tops + 1);
        return [...pool(tops)].map(([value, more]) => [value, chance * more]);
      }),
    );
  };
  /** Sum of the highest or lowest dice, from the best face; `sums` by number of dice placed. */
  const best = (die, count, kept, highest) => {
    if (!kept) return new Map([[0, sum(die) ** BigInt(count)]]);
    if (kept === count) return times(die, count);
    const [done, sums] = [[], range(kept).map(() => new Map())];
    sums[0].set(0, 1n);
    let worse = sum(die);
    for (const face of [...die.keys()].sort((a, b) => (highest ? b - a : a - b))) {
      const ways = die.get(face);
      worse -= ways;
      for (let placed = kept - 1; placed >= 0; placed--) {
        const left = count - placed;
        const shows = picks(left, kept - placed).map((chosen, more) => chosen * ways ** BigInt(more));
        const others = shows.map((part, more) => part * worse ** BigInt(left - more));
        const fills = (worse + ways) ** BigInt(left) - total(others, 0n);
        for (const [value, before] of sums[placed]) {
          done.push([value + face * (kept - placed), before * fills]);
          for (let more = 1; more < kept - placed; more++) {
            const [next, there] = [sums[placed + more], value + face * more];
            next.set(there, (next.get(there) ?? 0n) + before * shows[more]);
          }
        }
      }
    }
    return gathered(done.filter(([, ways]) => ways));
  };

  // --- forms: each estimates its size and work; `weights` computes its odds

  // Estimated steps of one node.
  const NODE_WORK = 50;
  const within = (size) => {
    if (max(abs(size.low), abs(size.high)) > 1e12) refuse(`the result could exceed ${figure(1e12)}`);
    if (size.bits > 2048) refuse("too many dice: roll fewer (the chances would have more than 2,048 bits)");
    if (size.work > 250_000) refuse("the odds would take more than 250,000 steps to compute");
    return size;
  };
  const multiplication = (span, bits) => NODE_WORK + 4 * span + ((span * (bits + 8)) / 400) ** 1.585;
  const convolved = (size) => {
    const span = size.high - size.low + 1;
    if (span > 20_000) refuse("there are more than 20,000 numbers between the lowest and the highest result");
    return within({ ...size, work: size.work + multiplication(span, size.bits) });
  };
  const added = (left, right) => {
    const [low, high] = [left.low + right.low, left.high + right.high];
    const [pairs, span] = [left.results * right.results, high - low + 1];
    const [bits, work] = [left.bits + right.bits, left.work + right.work];
    const size = { low, high, results: min(pairs, span), bits, work, weights: () => sumOf(left.weights(), right.weights()) };
    return pairs <= span ? within({ ...size, work: work + NODE_WORK + 4 * pairs }) : convolved(size);
  };
  const chosen = (which, sizes, weights) => {
    const of = (name) => sizes.map((size) => size[name]);
    const [low, high, bits, results] = [Math[which](...of("low")), Math[which](...of("high")), total(of("bits")), total(of("results"))];
    const work = NODE_WORK + total(of("work")) + results * sizes.length * (5 + bits / 500);
    return within({ low, high, results: min(results, high - low + 1), bits, work, weights });
  };
  const single = ({ count, faces, again }) => {
    if (count > 1000) refuse(`${figure(count)} dice are more than the limit of 1,000`);
    if (faces > 5000) refuse(`${figure(faces)} faces are more than the limit of 5,000`);
    if (again && faces < 2) refuse("a die with one face would roll again for ever");
    const rolls = again ? rollsBound(faces) : 1;
    return { low: 1, high: faces * rolls, results: faces * rolls, bits: rolls * log2(faces), work: NODE_WORK + 6 * faces * rolls };
  };
  const pools = ({ count, faces, again }, size) => {
    if (again !== "!") return [1, count * size.bits];
    const bits = count * log2(faces);
    if (bits > 512) return [1, 2049];
    const [most] = newDice(count, faces);
    return [most + 1, 2 * bits + most * log2(faces)];
  };
  const bestSteps = (faces, count, kept, bits) =>
    kept === count
      ? multiplication(faces * count, bits)
      : NODE_WORK + faces * kept * (2 + (kept * (10 + bits / 50)) / 2 + (faces * kept * kept * (1 + bits / 1000)) / 6);

  let depth;
  const sized = (tree) => {
    if (++depth > 200) refuse("forms stand more than 200 deep");
    const size = FORMS[tree.node](tree);
    depth--;
    return size;
  };
  const FORMS = {
    number: ({ value }) =>
      within({ low: value, high: value, results: 1, bits: 0, work: NODE_WORK, weights: () => new Map([[value, 1n]]) }),
    dice: (dice) => {
      const { count, faces, again } = dice;
      const [size, weights] = [single(dice), () => times(die(faces, again), count)];
      if (count === 1) return { ...size, weights };
      const high = size.high * count;
      return convolved({ ...size, low: count, high, results: high - count + 1, bits: size.bits * count, weights });
    },
    keep: ({ dice, which, number }) => {
      const { count, faces, again } = dice;
      const dieSize = single(dice);
      const [parts, bits] = pools(dice, dieSize);
      const kept = which[0] === "k" ? number : count - number;
      const instead = min(parts - 1, number);
      const most = which === "dh" ? kept + instead : kept;
      const shown = again === "!" ? faces : dieSize.high;
      const high = shown * kept + faces * (parts - 1);
      const highest = which === "kh" || which === "dl";
      const weights = () => {
        if (again !== "!") return best(die(faces, again), count, kept, highest);
        const [known, below] = [[], die(faces - 1)];
        return mixed(dice, (tops) => {
          // The highest faces are the first to be kept, or the first to be dropped.
          const first = min(tops, number);
          const [rest, added] = { kh: [kept - first, first], dh: [kept + first, tops - first], dl: [kept, tops], kl: [kept, 0] }[which];
          return changed((known[rest] ??= best(below, count, rest, highest)), (value) => value + added * faces);
        });
      };
      const size = within({ low: kept, high, results: high - kept + 1, bits, work: NODE_WORK + dieSize.work, weights });
      for (let n = which === "kh" ? kept - instead : kept; n <= most; n++) size.work += bestSteps(shown, count, n, bits);
      if (parts > 1) size.work += parts * shown * most * (4 + bits / 200);
      return within(size);
    },
    pool: ({ dice, compare, target }) => {
      const { count, faces, again } = dice;
      const dieSize = single(dice);
      const [parts, bits] = pools(dice, dieSize);
      const work = NODE_WORK + dieSize.work + (count + 1) * (parts * 4 + (count * bits) / 5000);
      const hit = (value) => (compare === ">=" ? value >= target : value <= target);
      const hits = (die) => {
        const yes = sum(new Map([...die].filter(([value]) => hit(value))));
        const no = sum(die) - yes;
        return possible(picks(count, count + 1).map((ways, n) => [n, ways * yes ** BigInt(n) * no ** BigInt(count - n)]));
      };
      const weights = () => {
        if (again !== "!") return hits(die(faces, again));
        const below = hits(die(faces - 1));
        return mixed(dice, (tops) => changed(below, (value) => value + tops * hit(faces)));
      };
      return within({ low: 0, high: count + parts - 1, results: count + parts, bits, work, weights });
    },
    primary: ({ faces, bonus, penalty, criticals }) => {
      const dieSize = single({ faces });
      const [amounts, extra] = [new Map(criticals), bonus - penalty];
      const shown = gathered(range(faces).map((n) => [n + 1 + (amounts.get(n + 1) ?? 0), 1n]));
      const [low, high] = ends(shown);
      const size = { ...dieSize, low, high, work: NODE_WORK + 5 * faces, weights: () => shown };
      if (!extra) return within(size);
      const more = changed(die(faces), (face) => face * extra);
      const [least, most] = ends(more);
      return added(size, { ...dieSize, low: least, high: most, work: 5 * faces, weights: () => more });
    },
    sum: ({ terms }) => terms.map(sized).reduce(added),
    product: ({ factor, operand }) => {
      const size = sized(operand);
      const [low, high] = [size.low * factor, size.high * factor].sort((a, b) => a - b);
      const weights = () => changed(size.weights(), (value) => value * factor);
      return within({ ...size, low, high, work: size.work + NODE_WORK + 3 * size.results, weights });
    },
    quotient: ({ rounding, operand, divisor }) => {
      const size = sized(operand);
      const [low, high] = [floor(size.low / divisor), ceil(size.high / divisor)];
      const weights = () => changed(size.weights(), (value) => Math[rounding](value / divisor));
      return { ...size, low, high, results: min(size.results, high - low + 1), work: size.work + NODE_WORK + 3 * size.results, weights };
    },
    choice: ({ which, operands }) => {
      const sizes = operands.map(sized);
      return chosen(which, sizes, () => choice(which, sizes.map((size) => size.weights())));
    },
    twice: ({ which, operand }) => {
      const size = sized(operand);
      return chosen(which, [size, { ...size, work: 0 }], () => {
        const weights = size.weights();
        return choice(which, [weights, weights]);
      });
    },
  };

  /** The double nearest to upper / lower, with lower > 0. */
  const divided = (upper, lower) => {
    if (upper < 0n) return -divided(-upper, lower);
    const shift = max(4 * (digits(lower) - digits(upper)) + 72, 0);
    const scaled = upper << BigInt(shift);
    const rest = scaled % lower ? 1n : 0n; // breaks ties between two doubles
    return Number(((scaled / lower) << 1n) | rest) * 2 ** -(shift + 1);
  };

  /** The logarithm of the chance that no exploding die reaches its maximum. */
  const unlimited = ({ node, dice, count, faces, again, which, operand, terms, operands = terms ?? [] }) => {
    if (dice) return dice.again !== "!" ? unlimited(dice) : which === "kl" ? 0 : log1p(-divided(...newDice(dice.count, dice.faces)[1]));
    if (faces) return again ? count * log1p(-(faces ** -rollsBound(faces))) : 0;
    return operand ? (node === "twice" ? 2 : 1) * unlimited(operand) : total(operands.map(unlimited));
  };

  /** `outcomes` are pairs of result and chance, in ascending order. Throws an error with `code` "large" above the limits. */
  (globalThis.kismet ??= {}).odds = (tree) => {
    depth = 0;
    const size = sized(tree);
    within({ ...size, work: size.work + size.results * (25 + size.bits / 14) });
    const weights = [...size.weights()].sort(([a], [b]) => a - b);
    const all = total(weights.map(([, ways]) => ways), 0n);
    const outcomes = weights.map(([value, ways]) => [value, divided(ways, all)]);
    const mean = divided(total(weights.map(([value, ways]) => BigInt(value) * ways), 0n), all);
    return { low: outcomes[0][0], high: outcomes.at(-1)[0], mean, tail: -expm1(unlimited(tree)) || 0, outcomes };
  };
})();
