import { loadConfig } from '../../../config/load.ts'
import { userHome } from '../../../config/paths.ts'
import type { ProjectPins } from '../../../version/project.ts'
import { renderIncomplete } from '../../../library/incomplete.ts'
import { nothingIndexed } from '../../../version/unknown.ts'
import { weakSentence } from '../../../library/search/sureness.ts'
import { nothingSearched } from '../../../library/search/search.ts'
import { sourceNames } from '../../../library/sources/source-list.ts'
import type { FullPage } from '../../../library/page.ts'
import type { Og } from '../../../open.ts'
import { fittingHits, hitsToFill } from '../../../operation/hit-budget.ts'
import { bytesPerToken, tokensOf } from '../../../platform/tokens.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { counted } from '../../../platform/text/counted.ts'
import { explanationJson, renderExplanation, type Explained } from '../../answer/explanation.ts'
import { answerJson, doubtLines, renderHit, renderHits } from '../../answer/hits.ts'
import { pickHit, showHits, type Showing } from '../../answer/hit-screen.ts'
import { pageRows } from '../../screen/page-rows.ts'
import { shownHit } from '../../screen/shown-hit.ts'
import { hitScreenOptions, screenDetails, wishedScreen } from '../../screen/screen-options.ts'
import type { Screen } from '../../terminal.ts'
import { noteVersion, projectPins } from '../../project-version.ts'
import {
  noteBroken, noteNotIndexed, searchOptions, searchWish, type SearchWish,
} from '../../search-options.ts'

export const query = command({
  name: 'query',
  summary: 'search the indexed documentation',
  details: [
    'Without --library all libraries are asked. Without --version that of each which is nearest ' +
      'to the one that the lock file of the current project names (stderr says so, and ' +
      '"version_from" in JSON); else its highest release, else its highest pre-release, else ' +
      '"latest", else its newest date.',
    'The words of TEXT are joined by blanks. With "-" as TEXT, each line of stdin is a query. ' +
      'The exit code is 1 where a query has no hits.',
    'Of several libraries, or versions in a list, those that are not indexed are named on stderr ' +
      '("not_indexed" in JSON) with the nearest that are; the others answer, and the exit code ' +
      'is 1. Where none of them is indexed, it is 2. The same of those that are damaged ' +
      '("broken" in JSON); og doctor --repair mends them.',
    'A version is searched as soon as its words are indexed. While its embeddings follow, a line ' +
      'on stderr says how many are there ("incomplete" in JSON, with "embedded" of "chunks").',
    'Where no passage is clearly about the query, a line above the nearest ones says so, and ' +
      'below them stand other indexed libraries that may know, and how to add one that the query ' +
      'names ("confidence" is "weak" then and else "high"; "reason", "nearest" and "suggest" in ' +
      'JSON). ' +
      'With --strict such passages are no hits. A query whose name stands in a library is never ' +
      'weak.',
    'On a terminal there is a screenful: of each hit its headings, three to eight lines around ' +
      'the words of TEXT, and the command that reads on. With -k there are as many hits as asked.',
    screenDetails,
  ],
  positionals: {
    text: { doc: 'what to search for; "-" reads queries from stdin', variadic: true },
  },
  options: {
    ...searchOptions,
    'top-k': {
      type: 'whole',
      short: 'k',
      placeholder: 'N',
      doc: 'return at most N hits',
      min: 1,
      max: 1000,
      shown: 'query.top_k, which is 5',
    },
    explain: { type: 'switch', doc: 'say of each hit why it is there, and what was asked' },
    strict: { type: 'switch', doc: 'show no passages that are not clearly about TEXT' },
    'no-refuse': { type: 'switch', doc: 'does nothing; passages are shown without --strict' },
    'max-tokens': {
      type: 'whole',
      placeholder: 'N',
      doc:
        `fill N tokens (of ${bytesPerToken} bytes) with the best hits, whole ones; ` +
        `at most ${hitsToFill} hits unless -k says how many`,
      min: 50,
      max: 200_000,
    },
    context: {
      type: 'whole',
      placeholder: 'N',
      doc: 'show N neighbouring chunks of the page on each side of a hit',
      min: 0,
      max: 10,
      shown: '0',
    },
    json: { type: 'switch', doc: 'print one JSON object' },
    jsonl: { type: 'switch', doc: 'print one JSON object a query, each on a line' },
    ...hitScreenOptions,
  },
  examples: [
    'og query "how do I declare an optional query parameter"',
    'og query include_in_schema -l fastapi -v 0.115.0 -k 3 --json',
    'og query - -l fastapi --jsonl < questions.txt',
  ],
  async run(context, { text, 'top-k': topK, explain, json, jsonl, interactive, ...typed }) {
    const isStdin = text.length === 1 && text[0] === '-'
    checkForm({ isStdin, isEmpty: text.join('').trim() === '', json, interactive })
    const config = await loadConfig(context.env, { 'query.top_k': topK })
    await using og = await context.openOg(config)
    const { 'max-tokens': maxTokens } = typed
    const home = userHome(context.env)
    const places = { named: config.sources.filePath, cwd: process.cwd(), home }
    const wish = {
      ...searchWish(typed),
      project: await projectPins(context, typed.version),
      limit: maxTokens === null || topK !== null ? config.query.topK : hitsToFill,
      context: typed.context ?? 0,
      maxTokens,
      judge: true,
      refuse: typed.strict,
      knownSources: () => sourceNames(places),
    }
    const screen = json || jsonl ? null : wishedScreen(context.terminal, typed.format)
    const form: Form = {
      format: jsonl ? 'jsonl' : json ? 'json' : 'text',
      explain,
      screen: screen && {
        ...screen,
        isFull: typed.full,
        isAll: topK !== null,
        isPaged: !isStdin && !typed['no-pager'],
      },
    }
    if (interactive) {
      const explained = await search(og, text.join(' '), wish)
      return await pickAnswer(context, explained, (place) =>
        og.page({ ...place, project: wish.project }))
    }
    if (!isStdin) return await answer(context, form, await search(og, text.join(' '), wish))
    return await answerLines(context, form, (line) => search(og, line, wish))
  },
})

type Form = {
  format: 'text' | 'json' | 'jsonl'
  explain: boolean
  /** Null: the text of agents. */
  screen: Screen & Pick<Showing, 'isFull' | 'isAll' | 'isPaged'> | null
}

type Typed = { isStdin: boolean; isEmpty: boolean; json: boolean; interactive: boolean }

function checkForm(typed: Typed): void {
  if (typed.isEmpty) throw new OgError('Cannot search: TEXT is empty')
  if (typed.isStdin && typed.interactive) {
    throw new OgError('Cannot pick a hit: stdin holds the queries')
  }
  if (!typed.isStdin || !typed.json) return
  throw new OgError('Cannot print --json for queries from stdin: they are many', {
    hint: 'use --jsonl',
  })
}

type QueryRequest = SearchWish & {
  project: ProjectPins
  limit: number
  judge: boolean
  refuse: boolean
  knownSources: () => Promise<string[]>
  context: number
  maxTokens: number | null
}

/** An empty line has an answer too, so that answers and lines stay in step. */
async function search(og: Og, text: string, wish: QueryRequest): Promise<Explained> {
  const { library, version, filter, maxTokens } = wish
  const isBlank = text.trim() === ''
  const answer = isBlank ? nothingSearched : await og.search({ query: text, ...wish })
  if (!isBlank && answer.searched.length === 0) throw nothingIndexed()
  const hits = maxTokens === null ? answer.hits : fittingHits(answer.hits, renderHit, {
    maxTokens,
    frame: tokensOf(renderHits([])) + (answer.doubt === null ? 0 : tokensOf(weakSentence)),
  })
  const omitted = answer.hits.length - hits.length
  return { query: text, library, version, filter, ...answer, hits, omitted }
}

/** Answers each line before the next is read: a program may ask and wait. */
async function answerLines(
  context: Context,
  form: Form,
  answerTo: (line: string) => Promise<Explained>,
): Promise<number> {
  let code = 0
  let isFirst = true
  for await (const line of context.terminal.lines()) {
    if (form.format === 'text' && !isFirst) await context.terminal.write('\n')
    code = Math.max(code, await answer(context, form, await answerTo(line)))
    isFirst = false
  }
  return code
}

async function answer(
  { terminal }: Context,
  { format, explain, screen }: Form,
  explained: Explained,
): Promise<number> {
  const { hits, omitted, versionsFrom, notIndexed } = explained
  const { broken = [], incomplete = [], doubt = null, unasked = null } = explained
  if (unasked !== null) terminal.note('warning', unasked)
  if (format === 'text') {
    if (omitted > 0) {
      terminal.note('plain', `${counted(omitted, 'hit')} did not fit into --max-tokens.`)
    }
    for (const from of versionsFrom) noteVersion(terminal, from)
    noteNotIndexed(terminal, notIndexed)
    noteBroken(terminal, broken)
    for (const one of incomplete) terminal.note('plain', renderIncomplete(one))
    const why = explain ? renderExplanation(explained) : ''
    if (screen === null) await terminal.write(renderHits(hits, doubt) + why)
    else await showAnswer({ terminal }, screen, { explained, why })
  } else {
    noteBroken(terminal, broken)
    const more = explain ? { explain: explanationJson(explained) } : {}
    const json = { ...answerJson(explained), ...more }
    await terminal.write(jsonText(json, format === 'json' ? 2 : 0))
  }
  return hits.length > 0 && notIndexed.length + broken.length === 0 ? 0 : 1
}

async function showAnswer(
  { terminal }: Pick<Context, 'terminal'>,
  screen: NonNullable<Form['screen']>,
  { explained, why }: { explained: Explained; why: string },
): Promise<void> {
  const { query, hits, doubt = null, versionsFrom, notIndexed, omitted } = explained
  const { broken = [], incomplete = [], english } = explained
  const told = [versionsFrom, notIndexed, broken, incomplete]
  const notes = told.reduce((sum, lines) => sum + lines.length, Math.sign(omitted))
  await showHits({ terminal }, { ...screen, rows: screen.rows - notes }, {
    query: english ?? query,
    hits: hits.map(shownHit),
    above: [
      ...(hits.length === 0 ? ['Found no matches.'] : []),
      ...(doubt !== null && hits.length > 0 ? [weakSentence] : []),
    ],
    below: [...doubtLines(doubt, hits), ...(why === '' ? [] : why.trimEnd().split('\n'))],
    ...screen,
  })
}

type PageOf = (place: { url: string; library: string; version: string }) =>
  Promise<FullPage | null>

async function pickAnswer(
  { terminal }: Context,
  { query, english, hits }: Explained,
  pageOf: PageOf,
): Promise<number> {
  if (hits.length === 0) throw new OgError('Found no matches', { exitCode: 1 })
  const shown = { query: english ?? query, hits: hits.map(shownHit) }
  return await pickHit({ terminal }, shown, async (index) => {
    const { url, library, version, startLine } = hits[index]!
    const page = await pageOf({ url, library, version })
    if (page === null) throw new OgError(`No page has the address "${url}" any more`)
    return { rows: (width) => pageRows(page, width), startLine }
  })
}
