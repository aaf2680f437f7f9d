import { parseAttributes } from '../../../document/attributes.ts'
/**
 * Rewrites the macros of Micronaut's build to AsciiDoc: names of types become macros that og knows,
 * and a dependency becomes its lines in Gradle and Maven.
 */
export function micronautToAsciidoc(text: string): string {
  if (!/(?:api|ann|pkg|jdk|rs|rx|reactor|dependency):/.test(text)) return text
  const lines = text.split('\n')
  const out: string[] = []
  let fence = ''
  for (const line of lines) {
    const mark = /^(?:-{4,}|\.{4,}|\+{4,})$/.exec(line.trimEnd())?.[0] ?? ''
    if (mark !== '') fence = fence === '' ? mark : fence === mark ? '' : fence
    if (fence !== '' || !line.includes('[')) out.push(line)
    else out.push(...dependencyLines(line.replace(typeMacro, typeName)))
  }
  return out.join('\n')
}

const typeMacro = /(?<![\w:/])(api|ann|pkg|jdk|jeeapi|rs|rx|reactor):([\w.$#(),-]{1,200})\[(\]?)/g

function typeName(...[, macro, name, close]: string[]): string {
  if (macro === 'pkg') return `configprop:${name}[${close}`
  const format = macro === 'ann' ? `format=annotation${close === '' ? ',' : ''}` : ''
  return `javadoc:${name}[${format}${close}`
}

const dependency = /^dependency::?([\w.:-]+)\[([^\]]*)\]\s*$/

function dependencyLines(line: string): string[] {
  const [, target, written = ''] = dependency.exec(line) ?? []
  if (target === undefined) return [line]
  const attributes = parseAttributes(written)
  const colon = target.indexOf(':')
  const group = attributes.get('groupid') ?? (colon < 0 ? 'io.micronaut' : target.slice(0, colon))
  const [artifact = '', inTarget] = target.slice(colon + 1).split(':')
  const version = attributes.get('version') ?? inTarget
  const scope = attributes.get('scope') ?? 'compile'
  const gradleScope = attributes.get('gradlescope') ?? gradleScopes[scope] ?? scope
  const names = [
    `    <groupId>${group}</groupId>`,
    `    <artifactId>${artifact}</artifactId>`,
    ...(version === undefined ? [] : [`    <version>${version}</version>`]),
  ]
  const tag = scope === 'annotationProcessor' ? 'path' : 'dependency'
  const ends = /^(?:test|runtime|provided)$/.test(scope) ? [`    <scope>${scope}</scope>`] : []
  const coordinates = [group, artifact, ...(version === undefined ? [] : [version])].join(':')
  return [
    ...listing('Gradle', 'groovy', [`${gradleScope}("${coordinates}")`]),
    ...listing('Maven', 'xml', [`<${tag}>`, ...names, ...ends, `</${tag}>`]),
  ]
}

const gradleScopes: Readonly<Record<string, string>> = {
  compile: 'implementation',
  runtime: 'runtimeOnly',
  test: 'testImplementation',
  provided: 'compileOnly',
}

function listing(title: string, language: string, code: string[]): string[] {
  return ['', `.${title}`, `[source,${language}]`, '----', ...code, '----', '']
}
