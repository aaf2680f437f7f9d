import { option } from './command.ts'
import { OgError } from '../platform/error.ts'
import type { Option, SuggestionKind, ParsedValues } from './command.ts'
import { defaultLockSeconds, lockFields } from '../operation/add/add-fields.ts'
import { pageKinds } from '../page/page-kind.ts'
import type { Field, InputFields, InputOf } from '../operation/field.ts'

type OptionFace = {
  name?: string
  short?: string
  placeholder?: string
  /** The option can be repeated. Commas join its values. */
  isRepeated?: true
  suggest?: SuggestionKind
  choices?: readonly string[]
  defaultText?: string
  default?: number
  min?: number
}

type Faces<F extends InputFields> = { readonly [K in keyof F]?: OptionFace }

type Kebab<K> = K extends `${infer Head}_${infer Tail}` ? `${Head}-${Kebab<Tail>}` : K

type NameOf<K, T> = T extends { name: infer N extends string } ? N : Kebab<K>

type OptionOf<F extends Field, T> = Extract<
  Option,
  {
    type: F['type'] extends 'text'
      ? T extends { isRepeated: true }
        ? 'texts'
        : 'text'
      : F['type'] extends 'number'
        ? 'text'
        : F['type']
  }
> &
  (T extends { default: number } ? { default: number } : unknown)

type OptionsOf<F extends InputFields, T> = {
  readonly [K in keyof T & keyof F as NameOf<K, T[K]> & string]: OptionOf<F[K], T[K]>
}

type FieldOptions<F extends InputFields, T> = {
  options: OptionsOf<F, T>
  input(values: ParsedValues): InputOf<Pick<F, keyof T & keyof F>>
}

export function fieldOptions<F extends InputFields, const T extends Faces<F>>(
  fields: F,
  faces: T,
): FieldOptions<F, T> {
  const rows = Object.entries(faces as Record<string, OptionFace>).map(([key, face]) => ({
    key,
    face,
    field: fields[key]!,
    name: face.name ?? key.replaceAll('_', '-'),
  }))
  const options = Object.fromEntries(rows.map((row) => [row.name, optionOf(row)]))
  const input = (values: ParsedValues) =>
    Object.fromEntries(rows.map((row) => [row.key, inputOf(row, values[row.name] ?? null)]))
  return { options, input } as unknown as FieldOptions<F, T>
}

function optionOf({ field, face }: { field: Field; face: OptionFace }): Option {
  const { short, placeholder = 'N', suggest, defaultText, default: preset } = face
  const letter = short === undefined ? {} : { short }
  if (field.type === 'switch') return { type: 'switch', ...letter, doc: field.doc }
  if (field.type === 'whole') {
    const { min, max, doc } = field
    const bounds = { min: face.min ?? min, max }
    return {
      type: 'whole',
      ...letter,
      placeholder,
      doc,
      ...bounds,
      ...(defaultText && { defaultText }),
      ...(preset !== undefined && { default: preset }),
    }
  }
  const fieldChoices = field.type === 'text' ? (field.choices ?? field.suggested) : undefined
  const { choices = fieldChoices } = face
  return {
    type: face.isRepeated || field.type === 'texts' ? 'texts' : 'text',
    ...letter,
    placeholder,
    doc: field.doc,
    ...(suggest && { suggest }),
    ...(choices && { choices }),
  }
}

type Row = { name: string; field: Field; face: OptionFace }

function inputOf({ name, field, face }: Row, value: ParsedValues[string]): ParsedValues[string] {
  if (face.isRepeated) return joinItems(value as readonly string[])
  if (field.type !== 'number' || value === null) return value
  const { min, max } = field
  const number = /^(\d{0,20}\.)?\d{1,20}$/.test(value as string) ? Number(value) : NaN
  if (number >= min && number <= max) return number
  throw new OgError(`Cannot use "${value}" for --${name}: must be from ${min} to ${max}`)
}

function joinItems(items: readonly string[]): string | null {
  return items.length > 0 ? items.join(',') : null
}

export function versionOption(doc: string) {
  return option.text('-v VERSION', doc, { suggest: 'version' })
}

export const jsonOption = option.flag('print a JSON object')

export const lockOptionForms = {
  lock_timeout: { placeholder: 'SECONDS', default: defaultLockSeconds },
} as const

export const publishOptionForms = {
  min_health: { placeholder: 'PERCENT' },
  ...lockOptionForms,
} as const

export const lockTimeoutOption = fieldOptions(lockFields, lockOptionForms).options['lock-timeout']

export const languageChoices: readonly string[] = [
  'en',
  'de',
  'es',
  'fr',
  'it',
  'ja',
  'ko',
  'pl',
  'pt',
  'pt-br',
  'ru',
  'tr',
  'uk',
  'vi',
  'zh',
  'zh-hant',
]

export const scopeOptionForms = {
  library: { short: 'l', placeholder: 'LIBRARY', isRepeated: true, suggest: 'library' },
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  path: { placeholder: 'GLOB', isRepeated: true },
  language: { placeholder: 'LANGUAGE', isRepeated: true, choices: languageChoices },
  kind: { placeholder: 'KIND', isRepeated: true, choices: pageKinds },
} as const
