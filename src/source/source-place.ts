import type { Source } from './source.ts'

/** The address or path of a source, as it is shown. */
export function sourcePlace(source: Source): string {
  return 'path' in source ? source.path : source.url
}
