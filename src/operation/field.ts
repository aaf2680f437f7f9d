import { OgError } from '../platform/error.ts'

export type CheckedInput<F extends InputFields> = {
  readonly [K in keyof F]: F[K] extends { choices: readonly (infer Choice)[] }
    ? Choice | Extract<InputOf<F>[K], null>
    : InputOf<F>[K]
}

/** @throws OgError if a value is not among its field's choices */
export function checkChoices<F extends InputFields>(fields: F, input: InputOf<F>): CheckedInput<F> {
  for (const [name, one] of Object.entries(fields)) {
    const value = input[name]
    if (one.type !== 'text' || one.choices === undefined) continue
    if (typeof value === 'string') checkChoice(name, value, one.choices)
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

/** The values of an operation's fields by field name. */
export type OperationInput = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>

/**
 * Returns the command-line options with the same effect as this input. The form `--name=value`
 * ensures that no value is parsed as an option.
 */
export function commandOptions(input: OperationInput): string[] {
  return Object.entries(input).flatMap(([key, value]) => {
    const name = `--${key.replaceAll('_', '-')}`
    if (value === true) return [name]
    if (value === null || value === undefined || value === false || value === '') return []
    return (Array.isArray(value) ? value : [value]).map((one) => `${name}=${one}`)
  })
}

type More<F> = Omit<Partial<F>, 'type' | 'doc'>
type TextMore = More<Extract<Field, { type: 'text' }>>
type Bounds = { min: number; max: number }

export const field = {
  text: <const M extends TextMore = Record<never, never>>(doc: string, more?: M) =>
    ({ type: 'text', doc, ...more }) as { type: 'text'; doc: string } & M,
  texts: (doc: string) => ({ type: 'texts', doc }) as const,
  whole: (doc: string, bounds: Bounds) => ({ type: 'whole', doc, ...bounds }) as const,
  number: (doc: string, bounds: Bounds) => ({ type: 'number', doc, ...bounds }) as const,
  flag: (doc: string) => ({ type: 'switch', doc }) as const,
}

/**
 * An input of an operation. It is plain data instead of a schema because the command line reads all
 * fields at every start, and loading the schema library takes 12 to 20 ms.
 */
export type Field =
  | TextField
  | { type: 'texts'; doc: string }
  | { type: 'whole' | 'number'; doc: string; min: number; max: number }
  | { type: 'switch'; doc: string }

/**
 * If `blank` is set, empty text is accepted, and the operation interprets or rejects it. A value
 * outside `choices` is an error. Schemas and completion show the values of `suggested`, but other
 * values are valid too.
 */
type TextField = {
  type: 'text'
  doc: string
  maxLength?: number
  required?: true
  blank?: true
  choices?: readonly string[]
  suggested?: readonly string[]
}

export type InputFields = Readonly<Record<string, Field>>

/** Field values. An omitted field is null, or an empty list for `texts`. */
export type InputOf<F extends InputFields> = { readonly [K in keyof F]: ValueOf<F[K]> }

type ValueOf<F> = F extends { type: 'switch' }
  ? boolean
  : F extends { type: 'texts' }
    ? readonly string[]
    : F extends { type: 'whole' | 'number' }
      ? number | null
      : F extends { required: true }
        ? string
        : string | null
