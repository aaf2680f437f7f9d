import { expect } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { closesFence, parseFence, type Fence } from '../../src/document/fence.ts'
import { parsePage } from '../../src/page/parse.ts'
import { testWhere } from '../support/where.ts'

const corpora = process.env.OG_CORPORA ?? join(import.meta.dir, '../../../shared/corpora')

check('fastapi.bundle', ['git', 'clone', '-q', '-b', '0.115.0'], 1000)
check('vite.bundle', ['git', 'clone', '-q', '-b', 'v6.0.0'], 200)
check('ray-docs.tar.zst', null, 1000)
check('mongodb-manual.tar.zst', null, 4000)

/** Checks that no code sample of a corpus is lost or cut, and that it has at least this many. */
function check(name: string, clone: string[] | null, atLeast: number) {
  const file = join(corpora, name)
  const lack = existsSync(file) ? null : `no ${file}; OG_CORPORA names the folder of corpora`
  testWhere(lack)(`keeps every code sample of ${name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'og-corpus-'))
    try {
      run(
        clone
          ? [...clone, file, join(folder, 'x')]
          : ['sh', '-c', 'zstd -dc -- "$1" | tar x -C "$2"', 'sh', file, folder],
      )
      expect(await checkFiles(folder)).toBeGreaterThanOrEqual(atLeast)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

function run(command: string[]) {
  const { exitCode, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command[0]} failed: ${stderr}`)
}

async function checkFiles(folder: string): Promise<number> {
  let nSamples = 0
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const samples = { '.md': fencedSamples, '.rst': rstSamples, '.txt': rstSamples }[extname(path)]
    if (!samples) continue
    const bytes = readFileSync(join(folder, path))
    const text = squeezed((await parsePage({ bytes, path, url: 'u' })).text)
    for (const sample of samples(bytes.toString())) {
      nSamples++
      expect({ path, lost: text.includes(squeezed(sample)) ? null : sample }).toEqual({
        path,
        lost: null,
      })
    }
  }
  return nSamples
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, '')
}

/**
 * Returns the text between fences, however they are indented, without directives, which may contain
 * prose.
 */
function fencedSamples(text: string): string[] {
  const samples: string[] = []
  let open: { fence: Fence; lines: string[] } | null = null
  let nTexts = 0
  for (const line of text.split('\n')) {
    if (open && closesFence(open.fence, line.trim())) {
      samples.push(open.lines.join('\n'))
      open = null
    } else if (open) open.lines.push(line)
    else {
      const fence = parseFence(line.trim())
      const isText = fence !== null && textDirective.test(line)
      const closesText = fence !== null && nTexts > 0 && /^[`~]+$/.test(line.trim())
      if (isText) nTexts++
      else if (closesText) nTexts--
      else if (fence) open = { fence, lines: [] }
    }
  }
  return samples.filter((sample) => !/^\s*:[\w-]+:/.test(sample))
}

const textDirective =
  /\{(?:note|tip|warning|admonition|dropdown|tab|grid|margin|important|caution|seealso|card)/

function rstSamples(text: string): string[] {
  const block = new RegExp(
    '^([ \\t]*)\\.\\. (?:code-block|testcode|code|testoutput)::[^\\n]*\\n' +
      '((?:[ \\t]*\\n|\\1[ \\t]+[^\\n]*\\n)+)',
    'gm',
  )
  return [...text.matchAll(block)].map(([, , body = '']) =>
    body.replace(/^(?:[ \t]*:[\w-]+:.*\n)+/, ''),
  )
}
