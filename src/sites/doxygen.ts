import { renderCode } from '../formats/include/include-part.ts'
import type { Generator } from './generator.ts'
import { parentFolder, resolveSubfolder } from './site-path.ts'
import type { Include, IncludeFinder } from '../formats/include/include-file.ts'
import { doxygenReference, doxygenToMarkdown } from '../formats/doxygen.ts'

/** Doxygen: `Doxyfile`, or a template such as `Doxyfile.in`. */
export const doxygen: Generator = {
  name: 'Doxygen',
  isSecondary: true,
  rootOf: (path) => (configName.test(path) ? parentFolder(path) : null),
  async read({ text, root }) {
    const settings = settingsOf(text)
    if (!settings.has('INPUT') && !settings.has('PROJECT_NAME')) return null
    const folders = (key: string) =>
      words(settings.get(key) ?? '').flatMap((folder) => {
        // The build replaces a leading variable with the project's folder.
        const path = folder.replace(/^(?:@\w+@|\$[({]\w+[)}])\//, '')
        if (/[@$*]/.test(path)) return []
        const bases = path === folder ? [root] : ['', parentFolder(root)]
        return bases.flatMap((base) => resolveSubfolder(base, path) ?? [])
      })
    const variables = words(settings.get('ALIASES') ?? '').flatMap((alias): [string, string][] => {
      const [, name, value = ''] = /^([A-Za-z]\w*(?:\{\d\})?)=([^]*)$/.exec(alias) ?? []
      return name === undefined ? [] : [[`alias:${name}`, value]]
    })
    return {
      folders: [root, ...folders('INPUT').filter((it) => !/\.\w+$/.test(it))],
      bases: [root, ...folders('EXAMPLE_PATH'), ...folders('INPUT')],
      variables: new Map(variables),
    }
  },
  includes: findDoxygenInclude,
  sign: /[@\\](?:snippet|include|verbinclude|includelineno|dontinclude)\b/,
  references: [[doxygenReference, 'ref']],
  toMarkup: doxygenToMarkdown,
}

const configName = /(?:^|\/)(?:Doxyfile(?:[-.][\w.-]{1,30})?|[\w.-]{1,60}\.doxyfile)$/i

/** Reads `NAME = value` and `NAME += value`. A backslash continues a value on the next line. */
function settingsOf(text: string): Map<string, string> {
  const settings = new Map<string, string>()
  const source = text.replace(/^[ \t]*#.*\n/gm, '').replace(/\\[ \t\r]*\n/g, ' ')
  const setting = /^[ \t]*([A-Z][A-Z0-9_]*)[ \t]*(\+?)=(.*)$/gm
  for (const [, name = '', add, value = ''] of source.matchAll(setting)) {
    const before = add === '+' ? `${settings.get(name) ?? ''} ` : ''
    settings.set(name, before + value.trim())
  }
  return settings
}

/** Splits a value into words. Quoted parts can contain spaces, as in `name="some text"`. */
function words(value: string): string[] {
  return [...value.matchAll(/([^\s"]*)"((?:[^"\\]|\\.)*)"|([^\s"]+)/g)].map(
    ([, before = '', quoted, plain = '']) =>
      quoted === undefined ? plain : before + quoted.replaceAll('\\"', '"'),
  )
}

const includeLine = new RegExp(
  String.raw`^(\s*)[@\\](snippet|include|verbinclude)(?:\{[^}]{0,100}\})?` +
    String.raw`[ \t]+"?([^\s"]+)"?(?:[ \t]+([^\n]{1,200}))?$`,
)

/** Finds `@snippet file name` and `@include file`. */
function findDoxygenInclude(
  ...[lines, { line, fence }]: Parameters<IncludeFinder>
): Include | null {
  const [, indent = '', kind, target, name] = includeLine.exec((lines[line] ?? '').trimEnd()) ?? []
  if (fence !== null || target === undefined) return null
  if (kind === 'snippet' && name === undefined) return null
  const part = kind === 'snippet' ? { region: name!.trim(), marks: [snippetMark] } : {}
  const code = renderCode(target, { indent, part })
  const render = (text: string, limit: number) => {
    const lines = code(text, limit)
    return lines && ['', ...lines, '']
  }
  return { from: line, to: line + 1, target, render, isMarkup: false }
}

/** The comments around a snippet: `//! [name]`. */
const snippetMark =
  /^\s*(?:\/\/[!/]?|\/\*[*!]?|##?!?|<!--|--!?|;)\s*\[(?<name>[^\]]+)\]\s*(?:-->|\*\/)?\s*$/
