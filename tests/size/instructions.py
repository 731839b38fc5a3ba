#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bounds of the instructions of steps: fits them on an emulated board, or checks them there.

    instructions.py --cpu CPU --board BOARD --compiler NAME --terms weft_step_terms
                    --bounds FILE [--fit] [--text FILE] [--sample N] LIST... -- COMMAND...

Each LIST is a file with one model a line, or the index of the stored models. COMMAND runs weft_size_steps on the board, which runs each
model on ordinary numbers, zeros, large numbers, NaN and infinities and counts the instructions of
each step. --fit writes FILE, which `weft inspect --target` reads: for each variant of a step, whether
its instructions depend on data, its excess, and the instructions of each of its terms
(converter/inspect/terms.h). They are the solution of a linear program, or the nearest sums: never below
a measured step, and as little above as possible. The excess is the smallest of EXCESSES such that no
bound exceeds a measured step by more than this part of the step, or by more than 500 instructions. If
the instructions of steps depend on data, this holds for the sum of these steps, because not every
model reaches the maximum. Terms "FUNCTION: NAME" belong to the variant "activation FUNCTION", whose
numbers all other variants share. They are fitted first, to the steps of ACTIVATED. A variant is left
out, so that it has no bound, if

    - fewer than 6 different steps were measured, or fewer than 6 and 1.5 for each of its terms (a term
      in fewer than 4 steps is left out, so that steps with this term have no bound);
    - the bounds are too high even for the largest excess.

Such a variant has the bound of its family: all variants that differ from it only in absent operands.

All bounds are raised by a factor and by at most 500 instructions, so that they also hold for each
fifth of the steps when only the others are fitted; and again by half of that, for shapes that were
not measured. The pair with the smallest excess is used, of the fit that needs the smallest factor alone.

--text keeps what the board printed in a file. If the file exists, the board does not run again, so that
other terms can be tried.

Without --fit, one of N models (by a hash of its name) must stay at or below its bounds and within the
excess, and variants whose instructions do not depend on data must need the same number in all runs.
At least MIN_SHARE of the steps must have a bound. With another compiler the bounds hold for none: the
test then prints the faults.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

# Instructions per SysTick tick with 64 ns per instruction.
SHIFT = "shift=6"
TICK = {"mps2-an385": 40 / 64, "mps2-an386": 40 / 64, "mps2-an500": 40 / 64,
        "mps2-an505": 50 / 64, "mps3-an547": 31.25 / 64}  # yapf: disable
EXCESSES = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)  # of the instructions of a step
SLACK = 500  # instructions
MIN_STEPS = 6
MIN_OF_TERM = 4
MIN_SHARE = 0.7
RESERVE = 1.5  # for shapes that were not measured
SHARES_OF_MORE = (1, 0.5, 0.2, 0.05, 0)  # of the most instructions that a margin can add
# Variants with exact sums, whose steps call an activation on complete results, a row or a result.
ACTIVATED = ("unary f32", "dense f32", "depthwise f32 strided")

# The excess of a bound is relative to `of`, the instructions of the step; for the engine, of the run.
# `fixed`: the excess of this step is limited, not only that of a sum of steps.
Step = collections.namedtuple("Step", "variant terms least most of name fixed", defaults=(False,))


def is_constant(step):
    return step.most - step.least <= 1


def activation_of(term):
    """The variant of the term if it belongs to an activation, else None."""
    return f"activation {term.partition(': ')[0]}" if ": " in term else None


def limit(step, excess):
    return step.most + max(excess * step.of, SLACK)


def run(command, **more):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True,
                          text=True, **more).stdout


def parsed_terms(text):
    """Returns {(model, step): (executions, variant, {term: amount})}; the engine is step -1."""
    found, model = {}, None
    for line in text.splitlines():
        if line.startswith("model "):
            model = line[6:]
            continue
        head, variant, *terms = line.split("|")
        step, executions = head.split()
        amounts = (term.rsplit(" ", 1) for term in terms)
        found[model, int(step)] = (float(executions), variant,
                                   {name: float(amount) for name, amount in amounts})
    return found


def measured(text, terms, tick):
    """Returns the measured steps, and the instructions of the engine as steps."""
    steps, engines, model, total, rows, own_steps = [], [], None, 0, [], []

    all_steps = collections.Counter(model for model, step in terms if step >= 0)

    def end():
        if model is None:
            return
        own = total - sum(calls * least for _, calls, least, _ in rows)
        if own < 0:  # the counter of 24 bits has wrapped around
            return
        steps.extend(own_steps)
        exact = len(rows) == all_steps[model] and all(
            calls == terms[model, step][0] for step, calls, _, _ in rows)
        spread = sum(calls * (most - least) for _, calls, least, most in rows)
        if exact and spread <= 20 + 2 * len(rows):
            engines.append(Step("engine", terms[model, -1][2], own, own, total, model))

    for line in text.splitlines():
        fields = line.split()
        if fields[0] == "clock" or ": fault " in line:
            continue
        if fields[0] == "model":
            end()
            model, total, rows, own_steps = fields[1], int(fields[2]) * tick, [], []
            continue
        step, calls, least, most = map(int, fields)
        least, most = round(least * tick), round(most * tick)
        rows.append((step, calls, least, most))
        executions, variant, amounts = terms[model, step]
        if calls > executions:
            sys.exit(f"{model}: step {step} ran {calls} times; must be at most {executions}")
        if variant:
            own_steps.append(Step(variant, amounts, least, most, most, f"{model} step {step}"))
    end()
    return steps + engines


def listed(path):
    """Returns the models of a list, or of the index of stored models."""
    lines = path.read_text().splitlines()
    if path.name != "index.txt":
        return lines
    return [f"{path.parent}/{line.split()[0]}.weft" for line in lines]


def printed(args, models):
    """What the board printed for a file of models."""
    if args.text and args.text.exists():
        return args.text.read_text()
    text = run([*args.command, models], env=dict(os.environ, QEMU_ICOUNT=SHIFT))
    if args.text:
        args.text.write_text(text)
    return text


def all_measured(args):
    models = [model for path in args.lists for model in listed(path)
              if zlib.crc32(pathlib.Path(model).name.encode()) % args.sample == 0]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as chosen:
        chosen.write("".join(f"{model}\n" for model in models))
        chosen.flush()
        terms = parsed_terms(run([args.terms, chosen.name, args.cpu]))
        text = printed(args, chosen.name)
    return measured(text, terms, TICK[args.board]), len(models)


def equations(steps):
    """Returns the names of the terms, their scaled shares of each step, the scale, and the share that
    the terms must bound."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    names = sorted({name for step in steps for name in step.terms})
    of = np.maximum(np.array([step.of for step in steps], float), 1)
    shares = np.array([[step.terms.get(name, 0) for name in names] for step in steps]) / of[:, None]
    scale = np.maximum(shares.max(0, initial=0), 1e-12)
    return names, shares / scale, scale, np.array([step.most for step in steps]) / of, of


def limited_of(steps):
    """The indices of the fixed steps, else of all."""
    return [i for i, step in enumerate(steps) if step.fixed] or list(range(len(steps)))


def lowest(steps, slack=SLACK):
    """Returns {term: instructions} that bound all of the steps. The excess is least for fixed steps, if
    there are some; up to `slack` instructions count only in the mean."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    from scipy.optimize import linprog  # pylint: disable=import-outside-toplevel
    names, shares, scale, least, of = equations(steps)
    if not names:
        return {}
    # Least: three times the largest relative excess beyond the slack, and the mean excess.
    limited = limited_of(steps)
    ends = np.hstack([shares, -np.ones((len(steps), 1))])[limited]
    starts = np.hstack([-shares, np.zeros((len(steps), 1))])
    program = linprog(np.append(shares[limited].mean(0) + 1e-3 * shares.mean(0), 3.0), A_ub=np.vstack([starts, ends]),
                      b_ub=np.concatenate([-least, (least + slack / of)[limited]]),
                      bounds=[(0, None)] * (len(names) + 1), method="highs")
    if program.status != 0:
        return {}
    found = program.x[:-1] / scale
    return {name: value for name, value in zip(names, found) if value > 1e-9}


def lowest_of_all(steps):
    return lowest(steps, 0)


def nearest(steps):
    """Returns {term: instructions} with the least squares of relative differences. Terms that few
    steps determine are more exact than those of a bound, but margins() must raise them."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    from scipy.optimize import nnls  # pylint: disable=import-outside-toplevel
    names, shares, scale, least, _ = equations(steps)
    count = len(names)
    weights = np.full(len(steps), 0.05)
    weights[limited_of(steps)] = 1
    # Terms that are not determined are equal.
    found, _ = nnls(np.vstack([shares * weights[:, None], 1e-3 * np.eye(count)]),
                    np.concatenate([least * weights, np.zeros(count)]), maxiter=100 * count + 1)
    return {name: value for name, value in zip(names, found / scale) if value > 1e-9}


def bound(terms, amounts):
    """Returns infinity for a step with a term that no measured step had."""
    return sum(terms[name] * amount for name, amount in amounts.items() if name in terms)


def different(steps):
    """The most instructions of each set of equal terms."""
    most = {}
    for step in steps:
        key = tuple(sorted(step.terms.items()))
        if key not in most or (most[key].most, -most[key].of) < (step.most, -step.of):
            most[key] = step
    return list(most.values())


def with_known_terms(steps):
    """Returns the steps all of whose terms are in at least MIN_OF_TERM steps."""
    counts = collections.Counter(name for step in steps for name in step.terms)
    known = [step for step in steps if min(map(counts.get, step.terms)) >= MIN_OF_TERM]
    return known if len(known) == len(steps) else with_known_terms(known)


def margins(steps, fitted, terms):
    """Yields pairs of a factor and a number of instructions that raise the terms above all steps, and
    RESERVE times those by which terms that are fitted to four fifths of the steps must be raised for
    the others. Each pair suffices: the more instructions are added, the smaller is the factor."""
    pairs = [(max(bound(terms, step.terms), 1), step.most) for step in steps]
    for part in range(5):
        others = [step for i, step in enumerate(steps) if i % 5 != part]
        found, names = fitted(others), {name for step in others for name in step.terms}
        pairs += [(max(bound(found, step.terms), 1), step.most) for step in steps[part::5]
                  if names.issuperset(step.terms)]
    largest = min(SLACK, max([most - most_bound for most_bound, most in pairs] + [0]))
    for share in SHARES_OF_MORE:
        more = share * largest
        factor = max((most - more) / most_bound for most_bound, most in pairs + [(1, 1 + more)])
        yield 1 + RESERVE * (factor - 1), min(SLACK, RESERVE * more)


def is_too_far(terms, fixed, others, excess):
    """Returns True if a bound of `fixed`, or the sum of the bounds of `others`, exceeds the limit, with
    a rounding error of 0.2 %."""
    def over(step):
        return bound(terms, step.terms) / 1.002 - 1 - limit(step, excess)

    return any(over(step) > 0 for step in fixed) or sum(map(over, others)) > 0


def raised_by(terms, names, once, margin):
    """Returns all of the terms, raised by a margin; `once` is the term that is 1 for each step."""
    factor, more = margin
    # 1.001: the rounding of the table and of the clock.
    raised = {name: 1.001 * factor * terms.get(name, 0) for name in names}
    if more > 0 and once in raised:
        raised[once] += more
    return raised


def fit_variant(steps, fixed, fits=(lowest, lowest_of_all, nearest)):
    """Returns the excess and the terms of a variant, or None and the reason. The excess is that of each
    step of `fixed` and of the sum of the other steps."""
    steps = with_known_terms(steps)
    names = sorted({name for step in steps for name in step.terms})
    fixed = [step for step in fixed if step.terms.keys() <= set(names)]
    others = [step for step in steps if not step.fixed and step.variant != "engine"]
    if len(steps) < MIN_STEPS:
        return None, "few steps"
    once = "runs" if steps[0].variant == "engine" else "steps"
    chosen, reason = None, "bounds are too high"  # chosen: excess, factor without `more`, terms
    for fitted in fits:
        terms = fitted(steps)
        if not terms or len(steps) < 1.5 * len(terms) + MIN_STEPS:
            reason = f"{len(steps)} different steps for {len(terms)} terms"
            continue
        pairs = [pair for pair in margins(steps, fitted, terms) if pair[1] == 0 or once in names]
        for margin in pairs:
            raised = raised_by(terms, names, once, margin)
            for excess in EXCESSES:
                rank = excess, pairs[-1][0]
                if (chosen is None or rank < chosen[:2]) and not is_too_far(
                        raised, fixed, others, excess):
                    chosen = *rank, raised
    return (chosen[0], chosen[2]) if chosen else (None, reason)


def grouped(steps):
    groups = collections.defaultdict(list)
    for step in steps:
        groups[step.variant].append(step)
    return groups


def family(variant):
    """Variants that differ only in absent operands."""
    return re.sub(r" without \d+", "", variant) + " any"


def with_activations(row, rows, step):
    """Returns the row with the terms of the step's activations, or None if one is not in `rows`."""
    constant, excess, terms = row
    for name in filter(None, set(map(activation_of, step.terms))):
        if name not in rows:
            return None
        constant, terms = constant and rows[name][0], {**terms, **rows[name][2]}
    return constant, excess, terms


def fitted_row(variant, group, rows):
    """Adds the variant to `rows`. Returns its excess, or None and the reason."""
    plain = [step for step in group if not any(map(activation_of, step.terms))]
    constant = all(map(is_constant, plain))

    def own(steps):
        """The part of the steps without their activations."""
        for step in steps:
            row = with_activations((constant, 0, {}), rows, step)
            terms = {name: n for name, n in step.terms.items() if not activation_of(name)}
            if row and row[2].keys() >= step.terms.keys() - terms.keys():
                yield step._replace(terms=terms, most=step.most - bound(row[2], step.terms),
                                    fixed=row[0] and variant != "engine")

    excess, terms = fit_variant(list(own(different(group))),
                                [step for step in own(group) if step.fixed])
    if excess is None:
        return None, terms
    rows[variant] = constant, excess, terms
    return excess, None


def fit_activations(steps, rows):
    """Adds the activations of the steps of ACTIVATED to `rows`."""
    steps = [step._replace(terms={name if activation_of(name) else f"{step.variant}|{name}": n
                                  for name, n in step.terms.items()})
             for step in steps if step.variant in ACTIVATED]  # yapf: disable
    both = lowest_of_all(with_known_terms(different(steps)))
    groups = collections.defaultdict(list)
    for step in steps:
        terms = {name: n for name, n in step.terms.items() if activation_of(name)}
        others = {name: n for name, n in step.terms.items() if name not in terms}
        for variant in set(map(activation_of, terms)):
            groups[variant].append(step._replace(terms=terms, fixed=is_constant(step),
                                                 most=step.most - bound(both, others)))
    for variant, group in sorted(groups.items()):
        constant = all(step.fixed for step in group)
        group = [step._replace(fixed=constant) for step in group]
        excess, terms = fit_variant(different(group), [step for step in group if constant],
                                    (lowest_of_all, nearest))
        if excess is None:
            print(f"no bound of {variant}: {len(group)} steps: {terms}")
        else:
            rows[variant] = constant, excess, terms


def fit(args, steps):
    """Variants without a bound have that of their family, if that has one."""
    rows, excesses, lacking = {}, collections.Counter(), collections.defaultdict(int)
    families = collections.defaultdict(list)
    fit_activations(steps, rows)
    for variant, group in sorted(grouped(steps).items()):
        families[family(variant)] += group
        excess, reason = fitted_row(variant, group, rows)
        if excess is None:
            print(f"no bound of {variant}: {len(group)} steps: {reason}")
            lacking[family(variant)] += len(group)
        else:
            excesses[excess] += len(group)
    for name, count in sorted(lacking.items()):
        excess, reason = fitted_row(name, families[name], rows)
        if excess is None:
            print(f"no bound of {name}: {count} steps: {reason}")
        excesses[excess] += count
    lines = [f"# {args.compiler}", f"# {len(steps)} steps"]
    for variant, (constant, excess, terms) in sorted(rows.items()):
        values = (f"{name} {value:.6g}" for name, value in terms.items())
        lines.append("|".join([variant, "constant" if constant else "varies", f"{excess:g}", *values]))
    args.bounds.write_text("\n".join(lines) + "\n")
    print(f"{len(steps)} steps: {excesses[None]} without a bound; others by excess: "
          f"{sorted((key, count) for key, count in excesses.items() if key)}")


def read_bounds(path):
    bounds, compiler = {}, ""
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            compiler = compiler or line[2:]
            continue
        variant, kind, excess, *terms = line.split("|")
        values = (term.rsplit(" ", 1) for term in terms)
        bounds[variant] = (kind == "constant", float(excess),
                           {name: float(value) for name, value in values})
    return bounds, compiler


def row_of(bounds, step):
    """The row of the step's variant, else of its family, with the step's activations; None if neither
    has all of its terms."""
    for name in (step.variant, family(step.variant)):
        row = with_activations(bounds[name], bounds, step) if name in bounds else None
        if row and row[2].keys() >= step.terms.keys():
            return row
    return None


def faults(bounds, steps):
    for step in steps:
        constant, excess, terms = row_of(bounds, step)
        most = bound(terms, step.terms)
        who = f"{step.name}: {step.variant}"
        if step.most > most + 1:
            yield f"{who}: is {step.most} instructions; must be at most the bound, {most:.0f}"
        is_loose = step.variant != "engine" and most > 1.002 * limit(step, excess) + 2
        if constant and is_loose:
            yield f"{who}: bound is {most:.0f}; must be at most {limit(step, excess):.0f}"
        if constant and step.most - step.least > 1:
            yield f"{who}: is {step.least} to {step.most} instructions; must not depend on data"


def main():
    parser = argparse.ArgumentParser()
    for name in ("cpu", "board", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("terms", "bounds"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--text", type=pathlib.Path)
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("lists", nargs="+", type=pathlib.Path)
    own, command = sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
    args = parser.parse_args(own)
    args.command = command
    steps, models = all_measured(args)
    if args.fit:
        fit(args, steps)
        return 0
    bounds, compiler = read_bounds(args.bounds)
    known = [step for step in steps if row_of(bounds, step)]
    found = list(faults(bounds, known))
    if len(known) < MIN_SHARE * len(steps):
        found.append(f"{len(known)} of {len(steps)} steps have a bound; must be {MIN_SHARE:.0%}")
    print(f"{args.cpu}: {models} models, {len(steps)} steps, {len(known)} with a bound, "
          f"{len(found)} faults")
    for fault in found[:20]:
        print(fault)
    return 1 if found and compiler == args.compiler else 0


if __name__ == "__main__":
    sys.exit(main())
