import { checkChoices, type CheckedInput, type InputFields, type InputOf } from './field.ts'
import type { Answer } from './note.ts'

export type Operation<C, F extends InputFields, V, J> = {
  name: string
  summary: string
  input: F
  /** @throws OgError if the input is invalid or nothing could be searched */
  run(context: C, input: InputOf<F>): Promise<Answer<V>>
  json(outcome: Answer<V>): J
}

/** Lets a running operation ask the user. `canAsk` is false if there is no terminal. */
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

/** Fills missing fields of an input with the values that mean "not given". */
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

/** Drops null values for functions with optional parameters. */
export function withoutNulls<T extends object>(input: T): WithoutNulls<T> {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null),
  ) as WithoutNulls<T>
}

export function splitList(text: string | null | undefined): string[] {
  const items = (text ?? '').split(/,(?![^{]*\})/).map((item) => item.trim())
  return items.filter((item) => item !== '')
}
