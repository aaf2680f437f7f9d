import { loadConfig } from '../../../config/load.ts'
import type { ExplainedChunk, PageRank } from '../../../library/search/explain.ts'
import type { ScoreParts } from '../../../search/fuse.ts'
import { command } from '../../command.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { explainScore } from '../../../mcp/docs/render-why.ts'
import { whyJson } from '../../answer/explanation.ts'
import { exclusionJson, exclusionLines } from '../../answer/exclusion.ts'
import { projectPins } from '../../project-version.ts'
import { printNotes } from '../../answer/notes.ts'
import { pageScreenOptions, selectScreen } from '../../screen/screen-options.ts'
import { styledLine, type Line } from '../../screen/span.ts'
import { wrapLine } from '../../screen/wrap.ts'
import { toScope, type Scope } from '../../../operation/search.ts'
import { scopeOptions } from '../../search-options.ts'
import { jsonText } from '../../../platform/json.ts'

export const explain = command({
  name: 'explain',
  summary: 'explain why a page is not the first hit of a query',
  positionals: {
    text: { doc: 'the query, quoted' },
    url: { doc: 'address of the page, as "og get" accepts it' },
  },
  options: {
    ...scopeOptions.options,
    json: { type: 'switch', doc: 'print one JSON object' },
    ...pageScreenOptions,
  },
  examples: [
    'og explain "optional parameter" tutorial/query-params.md -l fastapi',
    'og explain "optional parameter" URL -l fastapi -v all --path tutorial --kind guide',
  ],
  async run(context, { text, url, json, format, 'no-pager': noPager, ...typed }) {
    const wish = toScope(scopeOptions.input(typed))
    await using og = await context.openOg(await loadConfig(context.env))
    const project = await projectPins(context, wish.version)
    const standing = await og.explain({ query: text, url, ...wish, project })
    const { place, leftOut, notIndexed } = standing
    const notes = notIndexed.map((one) => ({ kind: 'not-indexed', ...one }) as const)
    if (!json) printNotes(context.terminal, notes)
    const screen = json ? null : selectScreen(context.terminal, format)
    if (screen !== null) {
      const lines = asLines(standing, wish).flatMap((line) => styledRows(line, screen.columns))
      await context.terminal.show(lines, { isPaged: !noPager })
    } else await context.terminal.write(json ? asJson(standing, wish) : asText(standing, wish))
    return place === null || leftOut !== null || notIndexed.length > 0 ? 1 : 0
  },
})

function asText(standing: PageRank, scope: Scope): string {
  return asLines(standing, scope)
    .map((line) => `${line}\n`)
    .join('')
}

function styledRows(line: string, columns: number): Line[] {
  const indent = /^ */.exec(line)![0]
  const style = indent === '' ? 'title' : undefined
  return wrapLine(styledLine(line, style), columns, styledLine(`${indent}  `))
}

function asLines(standing: PageRank, { filter }: Scope): string[] {
  const { query, url, place, nPages, first, best, leftOut } = standing
  const { library, version } = standing
  const where = `for "${query}" in ${library} ${version}`
  const is = leftOut === null ? `${url} is` : 'Then it would be'
  const headline =
    place === null
      ? `${is} not among the ${formatCount(nPages, 'page')} ranked ${where}.`
      : `${is} page ${place} of ${nPages} ${where}.`
  const isFirst = place === 1 || first === null
  return [
    ...(leftOut === null ? [] : exclusionLines(standing, filter)),
    headline,
    ...rerankedLines(standing),
    ...(best === null ? ['Neither its words nor its meaning are near to the query.'] : []),
    ...(isFirst ? [] : ['', `First is ${first.url}`, ...chunkLines(first)]),
    ...(best ? ['', isFirst ? 'Its best passage' : 'This page', ...chunkLines(best)] : []),
    ...(isFirst || best === null ? [] : advantages(first, best)),
  ]
}

function rerankedLines({ reranked }: PageRank): string[] {
  if (reranked === null) return []
  const { place, nPages, first, failure } = reranked
  if (failure !== null) return [`The reranker does not sort the hits: ${failure}`]
  const where =
    place === null
      ? `gets no passage of it and puts ${first} first`
      : place === 1
        ? 'puts it first'
        : `makes it page ${place} of ${nPages} and puts ${first} first`
  return [`The reranker ${where}. Below is og's own order.`]
}

function chunkLines({ heading, title, startLine, endLine, score, ...of }: ExplainedChunk) {
  const lacks = of.missing.length > 0 ? [`       without: ${of.missing.join(', ')}`] : []
  return [
    `  ${heading || title || '(no title)'}, lines ${startLine}-${endLine}: ${score.toFixed(2)}`,
    ...[...explainScore(of.why), ...lacks].map((line) => `    ${line}`),
  ]
}

/** Returns the score components in which the first page is ahead, largest difference first. */
function advantages(first: ExplainedChunk, best: ExplainedChunk): string[] {
  const [ahead, behind] = [partsOf(first.why), partsOf(best.why)]
  const differences = Object.keys(ahead)
    .map((name) => ({ name, more: ahead[name]! - (behind[name] ?? 0) }))
    .filter(({ more }) => more >= 0.01)
    .sort((a, b) => b.more - a.more)
  const lines = differences.map(({ name, more }) => `  ${more.toFixed(2)} by ${name}`)
  return lines.length === 0 ? [] : ['', 'The first has more', ...lines]
}

function partsOf(why: ScoreParts): Record<string, number> {
  const points = (why.fullText?.points ?? 0) + (why.vector?.points ?? 0)
  return {
    'full text': why.fullText?.points ?? 0,
    vectors: why.vector?.points ?? 0,
    'being no change log': points * (why.changelog - 1),
    'other passages of its page': why.evidence,
  }
}

function asJson(standing: PageRank, { filter }: Scope): string {
  const { leftOut: _, notIndexed, nPages, first, best, reranked, ...page } = standing

  const chunk = (one: ExplainedChunk | null) =>
    one && {
      url: one.url,
      title: one.title,
      heading: one.heading,
      start_line: one.startLine,
      end_line: one.endLine,
      score: one.score,
      why: whyJson(one.why),
      missing: one.missing,
    }
  const shown = {
    ...page,
    left_out: exclusionJson(standing, filter),
    not_indexed: notIndexed,
    pages: nPages,
    first: chunk(first),
    best: chunk(best),
    reranked: reranked && {
      place: reranked.place,
      pages: reranked.nPages,
      first: reranked.first,
      failure: reranked.failure,
    },
  }
  return jsonText(shown)
}
