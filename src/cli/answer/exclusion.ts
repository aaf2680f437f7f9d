import { shellWord } from '../../platform/text/shell-word.ts'
import type { Exclusion, PageRank } from '../../library/search/explain.ts'
import { matchedParts, type PageFilter } from '../../search/scope/page-filter.ts'

export function exclusionLines(standing: PageRank, filter: PageFilter): string[] {
  const { url } = standing
  const { reasons, remedy } = explainStanding(standing, filter)
  return [`${url} was not searched: ${reasons.join('; ')}.`, `${remedy}.`]
}

export function exclusionJson(standing: PageRank, filter: PageFilter) {
  if (standing.leftOut === null) return null
  const { by, versions, ...page } = standing.leftOut
  return {
    by: by.map((part) => names[part]),
    asked: versions,
    ...page,
    ...explainStanding(standing, filter),
  }
}

const names = {
  library: 'library',
  version: 'version',
  query: 'query',
  paths: 'path',
  languages: 'language',
  kinds: 'kind',
} as const satisfies Record<Exclusion['by'][number], string>

function explainStanding(
  standing: PageRank,
  filter: PageFilter,
): { reasons: string[]; remedy: string } {
  const { leftOut, query, url, library, version } = standing
  if (leftOut === null) return { reasons: [], remedy: '' }
  const { by, versions } = leftOut
  if (by[0] === 'library' || by[0] === 'version') {
    const reason = `it is in ${library} ${version}, and asked was ${versions.join(', ')}`
    const command = ['og', 'explain', query, url, '-l', library, '-v', version]
    return { reasons: [reason], remedy: `Ask there: ${command.map(shellWord).join(' ')}` }
  }
  const parts = by.map((part) => explainPart(part, leftOut, filter))
  return {
    reasons: parts.map(({ reason }) => reason),
    remedy: capital(parts.map(({ remedy }) => remedy).join(', and ')),
  }
}

type LeftOutReason = { reason: string; remedy: string }

function explainPart(
  part: Exclusion['by'][number],
  page: Exclusion,
  filter: PageFilter,
): LeftOutReason {
  const language = page.language ?? 'en'
  if (part === 'paths') return explainPath(page, filter.paths ?? [])
  if (part === 'languages') {
    return explainOption('--language', filter.languages ?? [], {
      name: 'language',
      value: language,
    })
  }
  if (part === 'kinds') {
    return explainOption('--kind', filter.kinds ?? [], { name: 'kind', value: page.kind })
  }
  return {
    reason: `its language is ${language}, and other pages are in that of the query`,
    remedy: `name --language ${language}`,
  }
}

function explainPath(page: Exclusion, typed: readonly string[]): LeftOutReason {
  const met = matchedParts(page, { paths: typed }).paths
  const against = typed.filter((one) => one.startsWith('!') && !met.includes(one))
  if (against.length === 0) {
    return explainOption('--path', typed, { name: 'path', value: page.path })
  }
  const words = against.map(shellWord).join(' ')
  return {
    reason: `its path is ${page.path}, and --path ${words} leaves it out`,
    remedy: 'leave that out',
  }
}

function explainOption(
  option: string,
  typed: readonly string[],
  { name, value }: { name: string; value: string },
): LeftOutReason {
  const options = typed.map((one) => `${option} ${shellWord(one)}`).join(' ')
  return {
    reason: `its ${name} is ${value}, and asked was ${options}`,
    remedy: `add ${option} ${shellWord(value)}, or leave out ${option}`,
  }
}

function capital(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`
}
