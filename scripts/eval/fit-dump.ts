/**
 * Writes the input of fit.ts: `node scripts/setup.mjs scripts/eval/fit-dump.ts FOLDER SET…` writes
 * FOLDER/SET.json with the best 300 chunks of the full-text lane and of the vector lane for each
 * question, unmixed. The libraries must be indexed (`npm run eval -- SET…`).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queryTerms } from '../../src/chunk/terms.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Embedder } from '../../src/embed/embedder.ts'
import { openEntryCache, type OpenEntries } from '../../src/library/entries.ts'
import { pickEntries } from '../../src/version/pick.ts'
import { openOg, type Og } from '../../src/open.ts'
import { openKernels } from '../../src/platform/kernels/kernels.ts'
import { loadNatives } from '../../src/platform/native/load.ts'
import { isChangelogPage } from '../../src/search/changes.ts'
import type { Collection } from '../../src/search/collection.ts'
import { toCandidate } from '../../src/search/candidate.ts'
import { textToEmbed, findNearTerms } from '../../src/search/near-terms.ts'
import { rankNamesFirst, nameTier } from '../../src/search/name/names-first.ts'
import { embedSearchQuery } from '../../src/search/query-embedding.ts'
import { pageFacts } from '../../src/search/scope/page-facts.ts'
import { openEngine } from './eval-engines.ts'
import { sets, work } from './eval.ts'

/** One chunk. A score is null if its lane did not find the chunk, or if the page has no score. */
export type Found = {
  url: string
  bm25: number | null
  pageBm25: number | null
  cosine: number | null
  pageCosine: number | null
  isChangelog: boolean
  /**
   * If the query is a single name: the rank of the place where the chunk contains it; lower is
   * better.
   */
  tier: number
}

export type Asked = { question: string; gold: string[]; found: Found[] }

const depth = 300

export async function main([folder, ...names]: string[]): Promise<void> {
  mkdirSync(folder!, { recursive: true })
  const store = join(work, 'store')
  const config = await loadConfig({ ...process.env, OG_DB_PATH: store })
  await using og = openOg(config, () => {})
  await using embedder = await openEngine('native')
  using entries = openEntryCache(store, openKernels((await loadNatives('', () => {})).kernels))
  for (const name of names) {
    const asked = await askedOf(name, { og, embedder, entries })
    writeFileSync(join(folder!, `${name}.json`), JSON.stringify(asked))
    process.stderr.write(`${name}: ${asked.length} questions\n`)
  }
}

type Means = { og: Og; embedder: Embedder; entries: OpenEntries }

async function askedOf(name: string, { og, embedder, entries }: Means): Promise<Asked[]> {
  const { questions, library = name } = sets[name]!()
  const pages = [...(await og.pages({ library, version: null })).values()]
  using held = await entries((all) => pickEntries(all, { library, version: null }))
  const { entry, open } = held[0]!
  const facts = await pageFacts(open)
  const plain = { entry, whole: open, open, facts, languageWeight: () => 1, guideShare: 1, gain: 1 }
  const asked: Asked[] = []
  for (const { question, gold } of questions) {
    const urls = gold.flatMap((path) =>
      pages.filter((page) => page.path === path || page.path.endsWith(`/${path}`)).slice(0, 1),
    )
    const embed = (text: string) => embedSearchQuery(embedder, text)
    const found = await foundOf({ ...plain, embed }, question)
    asked.push({ question, gold: urls.map(({ url }) => url), found })
  }
  return asked
}

async function foundOf(collection: Collection, question: string): Promise<Found[]> {
  const { open } = collection
  const near = await findNearTerms([collection], question)
  const { vector } = await collection.embed!(textToEmbed(question, near))
  const pages = (await open.pageIndex())!
  const others = [...near.values()].flat().map(({ term }) => term)
  const terms = [...new Set([...queryTerms(question, 256), ...others])]
  const byText = terms.length === 0 ? [] : await open.fullText(terms, depth)
  const byVector = await open.nearest(vector, depth)
  const named = await rankNamesFirst([collection], [], { text: question, limit: 50 })
  const tiers = new Map(named.map((it) => [it.key, it]))
  const keyOf = (it: (typeof byText)[number]) => toCandidate(collection, it).key
  const all = new Map([...byText, ...byVector, ...named].map((it) => [keyOf(it), it]))
  const scores = (list: typeof byText) => new Map(list.map((it) => [keyOf(it), it.score]))
  const [bm25, cosine] = [scores(byText), scores(byVector)]
  const ofPage = pages.fullText(terms)
  return [...all].map(
    ([key, { url }]): Found => ({
      url,
      bm25: bm25.get(key) ?? null,
      pageBm25: ofPage(url),
      cosine: cosine.get(key) ?? null,
      pageCosine: pages.cosine(url, vector),
      isChangelog: isChangelogPage({ collection, url }),
      tier: nameTier(tiers.get(key)?.why.nameMatch ?? null),
    }),
  )
}

if (import.meta.main) await main(process.argv.slice(2))
