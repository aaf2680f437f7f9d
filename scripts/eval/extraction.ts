/**
 * Measures the quality of the text extracted from web pages: `npm run eval:extraction [-- SITE…]`.
 *
 * Builds FastAPI's documentation with MkDocs Material, Vite's with VitePress, and Ray's with
 * Sphinx. The corpora are in the folder OG_SHARED (default: next to the repository); the tools come
 * from PyPI and npm and are installed in build/extraction. Extracts each page with `parsePage` and
 * with trafilatura, and compares both results with the source of the page. Prints a table on
 * stdout; `--json=FILE` saves the figures and texts of each page.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parsePage } from '../../src/page/parse.ts'
import { meanMetrics, siteMetrics, type PageMetrics } from './extraction-metrics.ts'
import { builtSites, trafilaturaTexts, type Site } from './extraction-sites.ts'

type Extractor = (site: Site) => Promise<string[]>

const extractors: Record<string, Extractor> = { og: ownTexts, trafilatura: trafilaturaTexts }

async function main(args: string[]): Promise<void> {
  const sites = await builtSites(args.filter((name) => !name.startsWith('--')).slice(0, 1))
  if (sites === null) return
  const figures: Record<string, unknown> = {}
  const rows: string[] = []
  for (const site of sites) {
    for (const [name, extract] of Object.entries(extractors)) {
      const started = performance.now()
      const texts = await extract(site)
      const milliseconds = (performance.now() - started) / texts.length
      const pages = siteMetrics(site.pages.map((page, i) => ({ ...page, text: texts[i]! })))
      rows.push(row(`${site.name} (${site.generator})`, { name, pages, milliseconds }))
      figures[`${site.name}/${name}`] = pages.map((page, i) => ({
        ...page,
        ...named(site, i, texts),
      }))
    }
  }
  process.stdout.write(`${[...head, ...rows].join('\n')}\n`)
  const file = args.find((name) => name.startsWith('--json='))?.slice(7)
  if (file) writeFileSync(file, JSON.stringify(figures, null, 1))
}

function named(site: Site, index: number, texts: string[]) {
  const { path, source } = site.pages[index]!
  return { path, source, text: texts[index] }
}

const head = [
  '| site | extractor | pages | precision | recall | F1 | code blocks | found exactly | found |' +
    ' boilerplate | ms a page |',
  '|---|---|---|---|---|---|---|---|---|---|---|',
]

function row(
  site: string,
  { name, pages, milliseconds }: { name: string; pages: PageMetrics[]; milliseconds: number },
): string {
  const mean = meanMetrics(pages)
  const share = (value: number) => value.toFixed(3)
  const percent = (value: number) => `${(100 * value).toFixed(2)} %`
  return `| ${[
    site,
    name,
    mean.pages,
    share(mean.precision),
    share(mean.recall),
    share(mean.f1),
    mean.codes,
    share(mean.code),
    share(mean.codeLoosely),
    percent(mean.boilerplate),
    milliseconds.toFixed(1),
  ].join(' | ')} |`
}

async function ownTexts(site: Site): Promise<string[]> {
  const texts: string[] = []
  for (const { html } of site.pages) {
    const bytes = readFileSync(html)
    const url = `https://${site.name}.example/${html.slice(site.folder.length + 1)}`
    // `parsePage` rejects a page whose source consisted of nothing but ignored directives.
    const page = parsePage({ bytes, path: 'page.html', url })
    texts.push(
      await page.then(
        ({ text }) => text,
        () => '',
      ),
    )
  }
  return texts
}

await main(process.argv.slice(2))
