import { programmingLanguageOf, languages } from './language.ts'
import type { FileOutline } from './symbol.ts'

/** Parses a source file after loading its parser. Returns null for an unknown language. */
export async function outlineFile(path: string, text: string): Promise<FileOutline | null> {
  const language = programmingLanguageOf(path)
  if (language === null) return null
  const outline = await languages[language].load()
  return outline(text.replaceAll('\r\n', '\n').replace(/^\ufeff/, ''))
}
