import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * Returns name, version, licence and licence text of everything in the executable: the installed
 * npm packages of the production tree, Bun, and the model.
 */
export async function collectLicenses(): Promise<string> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock
  const own = await readFile(join(root, 'LICENSE'), 'utf8').catch(() => '')
  const packages = Object.entries(lock.packages)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.dev && !entry.link)
    .filter(([path]) => existsSync(join(root, path)))
    // The installed platform packages depend on the machine and repeat LanceDB's own licence.
    .filter(([path]) => !path.startsWith('node_modules/@lancedb/lancedb-'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const notices = [
    { name: lock.name, version: lock.version, license: 'MIT', texts: [own] },
    ...(await Promise.all(packages.map(([path, entry]) => packageNotice(path, entry)))),
    bunNotice(lock),
    modelNotice,
  ]
  return notices.map(renderNotice).join('')
}

type LockEntry = { version?: string; license?: string; dev?: boolean; link?: boolean }
type Lock = { name: string; version: string; packages: Record<string, LockEntry> }
type Notice = { name: string; version: string; license: string; texts: string[] }

async function packageNotice(path: string, entry: LockEntry): Promise<Notice> {
  const folder = join(root, path)
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
  return {
    name: manifest.name,
    version: manifest.version,
    license: entry.license ?? licenseOf(manifest),
    texts: [...(await legalTexts(folder)), ...(await extraTexts(folder, manifest))],
  }
}

/** Returns the author and a short licence text of a package that contains no licence text. */
async function extraTexts(folder: string, manifest: Manifest): Promise<string[]> {
  if (manifest.name === 'unpdf') return [pdfjsNotice]
  if (manifest.name === '@vscode/tree-sitter-wasm') return [grammarsNotice]
  if ((await legalTexts(folder)).length > 0) return []
  const { author, license } = manifest
  const name = typeof author === 'string' ? author : author?.name
  const who = name ? `Copyright (c) ${name}` : `Copyright (c) the authors of ${manifest.name}`
  return [`${who}\n\n${license === 'MIT' ? mit : 'The package ships no licence text.'}`]
}

const pdfjsNotice = `unpdf contains PDF.js. Copyright Mozilla Foundation, licensed under the
Apache License, Version 2.0: https://www.apache.org/licenses/LICENSE-2.0`

const grammarsNotice = `The grammar of C# is tree-sitter-c-sharp. Copyright (c) 2014-2023 Max
Brunsfeld, Damien Guard, Amaan Qureshi, and contributors. The grammar of Ruby is tree-sitter-ruby.
Copyright (c) 2016 Rob Rix. The grammar of PHP is tree-sitter-php. Copyright (c) 2017 Josh Vera,
GitHub. The grammar of Java is tree-sitter-java. Copyright (c) 2017 Ayman Nadeem. All are licensed
under the MIT License.`

type Manifest = {
  name: string
  version: string
  license?: string | { type?: string }
  author?: string | { name?: string }
}

function licenseOf({ license }: Manifest): string {
  return (typeof license === 'string' ? license : license?.type) ?? 'see the text'
}

/**
 * Returns the licence files of a package. LanceDB's files also list its Rust and Node dependencies.
 */
async function legalTexts(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) =>
    /^(licen[cs]es?|copying|notice|thirdpartynotices|.*third_party_licenses)\b/i.test(name),
  )
  const texts = await Promise.all(
    names.sort().map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return name.endsWith('.html') ? textOf(text) : text
    }),
  )
  return texts
}

/** Returns the text of a generated HTML page of licences, without its markup. */
function textOf(html: string): string {
  return html
    .replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, '')
    .replace(/<[^>]+>/g, '')
    .replace(/&(lt|gt|quot|amp|#39|#x27);/g, (entity) => entities[entity]!)
    .replace(/^[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&amp;': '&',
  '&#39;': "'",
  '&#x27;': "'",
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this
software and associated documentation files (the "Software"), to deal in the Software without
restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

/**
 * Bun's package contains no licence text. Its licence page lists the statically linked libraries.
 */
function bunNotice(lock: Lock): Notice {
  return {
    name: 'bun',
    version: lock.packages['node_modules/bun']?.version ?? Bun.version,
    license: 'MIT, and those of what it links',
    texts: [
      'The runtime inside the executable. It links JavaScriptCore and WTF (LGPL-2.0), zlib, ' +
        'libarchive, BoringSSL and others;\nall of them, with their licences and how to relink, ' +
        'are listed at https://bun.com/docs/project/license\n\n' +
        `Copyright (c) Oven\n\n${mit}`,
    ],
  }
}

const modelNotice: Notice = {
  name: 'bge-small-en-v1.5 (weights and tokenizer)',
  version: '1.5',
  license: 'MIT',
  texts: [`Copyright (c) 2022 staoxiao\n\n${mit}`],
}

function renderNotice({ name, version, license, texts }: Notice): string {
  const title = `${name} ${version} (${license})`
  const body = texts.filter((text) => text.trim() !== '').map((text) => `\n${text.trim()}\n`)
  return `${title}\n${'='.repeat(title.length)}\n${body.join('')}\n\n`
}

if (import.meta.main) process.stdout.write(await collectLicenses())
