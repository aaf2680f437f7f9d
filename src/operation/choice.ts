import { OgError } from '../platform/error.ts'
import type { InputFields, InputOf } from './operation.ts'

export type CheckedInput<F extends InputFields> = {
  readonly [K in keyof F]: F[K] extends { choices: readonly (infer Choice)[] }
    ? Choice | Extract<InputOf<F>[K], null>
    : InputOf<F>[K]
}

/** @throws OgError if a text is none of the choices of its field */
export function checkChoices<F extends InputFields>(fields: F, input: InputOf<F>): CheckedInput<F> {
  for (const [name, field] of Object.entries(fields)) {
    const value = input[name]
    if (field.type !== 'text' || field.choices === undefined) continue
    if (typeof value === 'string') checkChoice(name, value, field.choices)
  }
  return input as CheckedInput<F>
}

export function checkChoice<Choice extends string>(
  name: string,
  value: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((one) => one === value)
  if (choice !== undefined) return choice
  throw new OgError(`Cannot use "${value}" for ${name}: must be one of ${choices.join(', ')}`)
}
