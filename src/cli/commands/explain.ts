import { loadConfig } from '../../config/load.ts'
import type { ExplainedChunk, PageStanding } from '../../library/explain.ts'
import type { Why } from '../../search/rank.ts'
import { command } from '../command.ts'
import { counted } from '../counted.ts'
import { whyJson, whyLines } from '../explanation.ts'
import { projectPins } from '../project-version.ts'

export const explain = command({
  name: 'explain',
  summary: 'say why a page is not first for a query',
  details: [
    'Shows where the page stands among all that are found, by which rank and score in each lane, ' +
      'and what the first one has more. The exit code is 1 where the page is not found at all.',
  ],
  positionals: {
    text: { doc: 'the query, quoted' },
    url: { doc: 'address of the page, as "og query" prints it' },
  },
  options: {
    library: {
      type: 'text',
      short: 'l',
      placeholder: 'LIBRARY',
      doc: 'search this library only',
      suggest: 'library',
    },
    version: {
      type: 'text',
      short: 'v',
      placeholder: 'VERSION',
      doc: 'search this version only',
      suggest: 'version',
    },
    json: { type: 'switch', doc: 'print one JSON object' },
  },
  examples: ['og explain "optional parameter" URL -l fastapi'],
  async run(context, { text, url, library, version, json }) {
    await using og = await context.openOg(await loadConfig(context.env))
    const project = await projectPins(context, version)
    const standing = await og.explain({ query: text, url, library, version, project })
    await context.terminal.write(json ? asJson(standing) : asText(standing))
    return standing.place === null ? 1 : 0
  },
})

function asText(standing: PageStanding): string {
  const { url, place, nPages, first, best } = standing
  const where = `for "${standing.query}" in ${standing.library} ${standing.version}`
  const headline = place === null
    ? `${url} is not among the ${counted(nPages, 'page')} ranked ${where}.`
    : `${url} is page ${place} of ${nPages} ${where}.`
  const isFirst = place === 1 || first === null
  return [
    headline,
    ...(best === null ? ['Neither its words nor its meaning are near to the query.'] : []),
    ...(isFirst ? [] : ['', `First is ${first.url}`, ...chunkLines(first)]),
    ...(best ? ['', isFirst ? 'Its best passage' : 'This page', ...chunkLines(best)] : []),
    ...(isFirst || best === null ? [] : advantages(first, best)),
  ].map((line) => `${line}\n`).join('')
}

function chunkLines({ heading, title, startLine, endLine, score, ...of }: ExplainedChunk) {
  const lacks = of.missing.length > 0 ? [`       without: ${of.missing.join(', ')}`] : []
  return [
    `  ${heading || title || '(no title)'}, lines ${startLine}-${endLine}: ${score.toFixed(2)}`,
    ...[...whyLines(of.why), ...lacks].map((line) => `    ${line}`),
  ]
}

/** What decides, most first. */
function advantages(first: ExplainedChunk, best: ExplainedChunk): string[] {
  const [ahead, behind] = [partsOf(first.why), partsOf(best.why)]
  const differences = Object.keys(ahead)
    .map((name) => ({ name, more: ahead[name]! - (behind[name] ?? 0) }))
    .filter(({ more }) => more >= 0.01)
    .sort((a, b) => b.more - a.more)
  const lines = differences.map(({ name, more }) => `  ${more.toFixed(2)} by ${name}`)
  return lines.length === 0 ? [] : ['', 'The first has more', ...lines]
}

function partsOf(why: Why): Record<string, number> {
  const points = (why.fullText?.points ?? 0) + (why.vector?.points ?? 0) + why.name
  return {
    'full text': why.fullText?.points ?? 0,
    'vectors': why.vector?.points ?? 0,
    'the name of its page': why.name,
    'the words of the name': points * (why.wordless - 1),
    'being no change log': points * why.wordless * (why.changelog - 1),
    'other passages of its page': why.evidence,
  }
}

function asJson({ nPages, first, best, ...standing }: PageStanding): string {
  const chunk = (one: ExplainedChunk | null) => one && {
    url: one.url,
    title: one.title,
    heading: one.heading,
    start_line: one.startLine,
    end_line: one.endLine,
    score: one.score,
    why: whyJson(one.why),
    missing: one.missing,
  }
  const shown = { ...standing, pages: nPages, first: chunk(first), best: chunk(best) }
  return `${JSON.stringify(shown, null, 2)}\n`
}
