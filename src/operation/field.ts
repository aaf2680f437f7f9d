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

/** The values of an operation's fields, by field name. */
export type OperationInput = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>

/**
 * Returns the options of the command that has the same effect as this input. Each option is
 * `--name=value`, so that no value is parsed as an option.
 */
export function commandOptions(input: OperationInput): string[] {
  return Object.entries(input).flatMap(([field, value]) => {
    const name = `--${field.replaceAll('_', '-')}`
    if (value === true) return [name]
    if (value === null || value === undefined || value === false || value === '') return []
    return (Array.isArray(value) ? value : [value]).map((one) => `${name}=${one}`)
  })
}
