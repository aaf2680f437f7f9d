import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expandIncludes } from '../../src/references/include.ts'
import { words } from './extraction-metrics.ts'
import { markdownSource, rstSource, titlesOf } from './extraction-sources.ts'

const root = join(import.meta.dir, '../..')
const shared = process.env.OG_SHARED ?? join(root, '..', 'shared')
const work = join(root, 'build', 'extraction')
const configs = join(root, 'scripts', 'eval', 'extraction')

/**
 * A page as its author wrote it (`source`, `codes`) and as its website shows it (the file `html`).
 */
export type SitePage = { path: string; html: string; source: string; codes: string[] }

export type Site = { name: string; generator: string; folder: string; pages: SitePage[] }

/** Builds the websites that have not been built yet. Returns null if there are no corpora. */
export async function builtSites(names: string[]): Promise<Site[] | null> {
  if (!existsSync(join(shared, 'corpora'))) {
    process.stderr.write(`skipped: no corpora at ${shared} (set OG_SHARED)\n`)
    return null
  }
  const all: Record<string, () => Promise<Site>> = { fastapi, vite, ray }
  const sites: Site[] = []
  for (const [name, build] of Object.entries(all)) {
    if (names.length === 0 || names.includes(name)) sites.push(await build())
  }
  return sites
}

/** Extracts the texts with trafilatura, using openground's settings. */
export async function trafilaturaTexts(site: Site): Promise<string[]> {
  const child = Bun.spawn([python(), join(configs, 'peer.py')], {
    stdin: new Blob([site.pages.map(({ html }) => `${html}\n`).join('')]),
    stderr: 'ignore',
  })
  const lines = (await child.stdout.text()).trimEnd().split('\n')
  if (lines.length !== site.pages.length) throw new Error('trafilatura did not read every page')
  return lines.map((line) => JSON.parse(line) as string)
}

async function fastapi(): Promise<Site> {
  const folder = join(work, 'site', 'fastapi')
  const source = join(work, 'fastapi')
  clone('fastapi', '0.115.0')
  if (!existsSync(folder)) {
    cpSync(join(configs, 'mkdocs.yml'), join(source, 'docs/en/mkdocs.yml'))
    run([join(dirname(python()), 'mkdocs'), 'build', '-q', '-d', folder], join(source, 'docs/en'))
  }
  const docs = join(source, 'docs/en/docs')
  const pages = await Promise.all(
    filesBelow(docs, '.md').map(async (path) => {
      const name = path.replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')
      const html = join(folder, name, 'index.html')
      const text = await included(`docs/en/docs/${path}`, source)
      return { path, html, ...markdownSource(text) }
    }),
  )
  return { name: 'fastapi', generator: 'MkDocs Material', folder, pages: present(pages) }
}

async function vite(): Promise<Site> {
  const folder = join(work, 'site', 'vite')
  clone('vite', 'v6.0.0')
  const docs = join(work, 'vite', 'docs')
  if (!existsSync(folder)) {
    // The website is inside the folder that contains the packages imported by its configuration.
    const site = join(work, 'vitepress', 'site')
    rmSync(site, { recursive: true, force: true })
    cpSync(docs, site, { recursive: true })
    rmSync(join(site, '.vitepress'), { recursive: true })
    mkdirSync(join(site, '.vitepress'))
    cpSync(join(configs, 'vitepress-config.mjs'), join(site, '.vitepress/config.mjs'))
    run([vitepress(), 'build', site, '--outDir', folder], work)
  }
  const pages = filesBelow(docs, '.md').map((path) => ({
    path,
    html: join(folder, path.replace(/\.md$/, '.html')),
    ...markdownSource(readFileSync(join(docs, path), 'utf8')),
  }))
  return { name: 'vite', generator: 'VitePress', folder, pages: present(pages) }
}

/**
 * Builds three of Ray's folders, whose pages consist of prose, samples and tabs rather than
 * generated API documentation.
 */
async function ray(): Promise<Site> {
  const folder = join(work, 'site', 'ray')
  const docs = join(work, 'ray', 'ray/doc/source')
  if (!existsSync(docs)) {
    mkdirSync(join(work, 'ray'), { recursive: true })
    run(['sh', '-c', `zstd -dc '${shared}/corpora/ray-docs.tar.zst' | tar x -C ray`], work)
  }
  if (!existsSync(folder)) {
    const site = join(work, 'ray-site')
    rmSync(site, { recursive: true, force: true })
    for (const name of rayFolders) cpSync(join(docs, name), join(site, name), { recursive: true })
    for (const path of filesBelow(site, '.ipynb')) rmSync(join(site, path))
    const entries = rayFolders.map((name) => `   ${name}/*\n`).join('')
    writeFileSync(join(site, 'index.rst'), `Ray\n===\n\n.. toctree::\n   :glob:\n\n${entries}`)
    cpSync(join(configs, 'conf.py'), join(site, 'conf.py'))
    run([join(dirname(python()), 'sphinx-build'), '-q', '-b', 'dirhtml', site, folder], work)
  }
  const paths = rayFolders.flatMap((name) =>
    filesBelow(join(docs, name), '.rst').map((path) => `${name}/${path}`),
  )
  const texts = paths.map((path) => readFileSync(join(docs, path), 'utf8'))
  const titles = new Map(texts.flatMap((text, i) => titlesOf(text, paths[i]!)))
  const pages = texts.map((text, i) => {
    const html = join(folder, paths[i]!.replace(/(?:(?<=\/)index)?\.rst$/, ''), 'index.html')
    return { path: paths[i]!, html, ...rstSource(text, titles) }
  })
  return { name: 'ray', generator: 'Sphinx', folder, pages: present(pages) }
}

const rayFolders = ['ray-core', 'serve', 'tune']

/** Pages that contain only directives for generated text have no source to compare with. */
const leastWords = 50

function present(pages: SitePage[]): SitePage[] {
  return pages.filter(({ html, source }) => existsSync(html) && words(source).length >= leastWords)
}

function filesBelow(folder: string, extension: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension) && !path.includes('node_modules'))
    .sort()
}

function included(path: string, top: string): Promise<string> {
  const read = async (other: string) => {
    const file = Bun.file(join(top, other))
    return (await file.exists()) ? file.text() : null
  }
  const text = readFileSync(join(top, path), 'utf8')
  return expandIncludes(text, { files: { from: path, read }, dialect: 'markdown' })
}

function clone(name: string, version: string): void {
  const folder = join(work, name)
  mkdirSync(work, { recursive: true })
  if (existsSync(folder)) return
  const bundle = join(shared, 'corpora', `${name}.bundle`)
  run(['git', 'clone', '-q', '-b', version, bundle, folder], work)
}

const pythonPackages = [
  'mkdocs-material==9.8.1',
  'mdx-include==1.4.2',
  'markdown-include-variants==0.0.8',
  'sphinx==9.0.4',
  'myst-parser==5.2.0',
  'sphinx-book-theme==1.4.0',
  'sphinx-design==0.8.0',
  'sphinx-tabs==3.5.0',
  'sphinx-copybutton==0.5.2',
  'sphinx-sitemap==2.9.0',
  'trafilatura==2.3.1',
  'lxml_html_clean==0.4.6',
]

/** Returns the Python of a virtual environment, which it creates if needed. */
function python(): string {
  const found = join(work, 'venv', 'bin', 'python')
  if (!existsSync(found)) {
    mkdirSync(work, { recursive: true })
    run(['python3', '-m', 'venv', 'venv'], work)
    run([found, '-m', 'pip', 'install', '-q', ...pythonPackages], work)
  }
  return found
}

function vitepress(): string {
  const folder = join(work, 'vitepress')
  const found = join(folder, 'node_modules', '.bin', 'vitepress')
  if (!existsSync(found)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    run(['npm', 'install', '--silent', '--no-audit', '--no-fund', 'vitepress@1.6.4'], folder)
  }
  return found
}

function run(command: string[], folder: string): void {
  process.stderr.write(`${command.slice(0, 3).join(' ')}\n`)
  const ran = Bun.spawnSync(command, { cwd: folder, stdout: 'ignore', stderr: 'pipe' })
  const said = ran.stderr.toString().slice(-2000)
  if (ran.exitCode !== 0) throw new Error(`${command[0]} failed:\n${said}`)
}
