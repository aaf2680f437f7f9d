import { checkChoices, type CheckedInput } from './field.ts'
import type { Note } from './note.ts'

export type Operation<C, F extends InputFields, V, J> = {
  name: string
  summary: string
  input: F
  /** @throws OgError if the input is invalid or nothing could be searched */
  run(context: C, input: InputOf<F>): Promise<Answer<V>>
  json(outcome: Answer<V>): J
}

export type Answer<V> = { value: V; notes: readonly Note[] }

/**
 * An input of an operation. It is plain data rather than a schema, because the command line reads
 * all fields at every start, and loading the schema library takes 12 to 20 ms.
 */
export type Field =
  | TextField
  | { type: 'texts'; doc: string }
  | { type: 'whole' | 'number'; doc: string; min: number; max: number }
  | { type: 'switch'; doc: string }

/**
 * If `blank` is set, empty text is accepted; the operation gives it a meaning or rejects it. A
 * value outside `choices` is an error. Schemas and completion show the values of `suggested`, but
 * others are valid too.
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

/** Lets an operation ask the user while it runs. `canAsk` is false if there is no terminal. */
export type Dialog = {
  readonly canAsk: boolean
  ask(question: string): Promise<boolean>
  askText(question: string): Promise<string>
  note(kind: 'plain' | 'hint' | 'warning', text: string): void
}

type Definition<C, F extends InputFields, V, J> = Omit<Operation<C, F, V, J>, 'run'> & {
  run(context: C, input: CheckedInput<F>): Promise<Answer<V>>
}

export function operation<C, const F extends InputFields, V, J>(
  definition: Definition<C, F, V, J>,
): Operation<C, F, V, J> {
  return {
    ...definition,
    run: async (context, input) =>
      await definition.run(context, checkChoices(definition.input, input)),
  }
}

/** Fills all missing fields of an input with the values that mean "not given". */
export function completeInput<F extends InputFields>(
  fields: F,
  input: Partial<InputOf<F>>,
): InputOf<F> {
  const rows = Object.entries(fields).map(([name, { type }]) => [
    name,
    input[name] ?? (type === 'switch' ? false : type === 'texts' ? [] : null),
  ])
  return Object.fromEntries(rows) as InputOf<F>
}

type WithoutNulls<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>
}

/** Drops null values, for functions with optional parameters. */
export function withoutNulls<T extends object>(input: T): WithoutNulls<T> {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null),
  ) as WithoutNulls<T>
}

export function splitList(text: string | null | undefined): string[] {
  const items = (text ?? '').split(/,(?![^{]*\})/).map((item) => item.trim())
  return items.filter((item) => item !== '')
}
