import type { Setting, SettingValue } from './setting.ts'

/** The value that a text of the environment or a value of JSON means; undefined: none allowed. */
export function parseSetting({ kind }: Setting, raw: unknown): SettingValue | undefined {
  switch (kind.type) {
    case 'text':
    case 'path':
      return typeof raw === 'string' && !raw.includes('\0') ? raw : undefined
    case 'switch':
      return parseSwitch(raw)
    case 'choice':
      return typeof raw === 'string' && Object.hasOwn(kind.choices, raw)
        ? kind.choices[raw]
        : undefined
    case 'whole': {
      const text = typeof raw === 'number' ? String(raw) : raw
      if (typeof text !== 'string' || !/^[0-9]{1,9}$/.test(text.trim())) return undefined
      const value = Number(text)
      return value >= kind.min && value <= kind.max ? value : undefined
    }
  }
}

/** What a setting takes, as the end of a sentence that began with "must be". */
export function allowed({ kind }: Setting): string {
  switch (kind.type) {
    case 'text':
      return 'a text'
    case 'path':
      return 'a path'
    case 'switch':
      return 'true or false'
    case 'choice':
      return `one of ${Object.keys(kind.choices).join(', ')}`
    case 'whole':
      return `a whole number from ${kind.min} to ${kind.max}`
  }
}

function parseSwitch(raw: unknown): boolean | undefined {
  const word = String(raw).toLowerCase()
  if (word === 'true' || word === '1') return true
  return word === 'false' || word === '0' ? false : undefined
}
