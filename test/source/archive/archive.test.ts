import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { archiveTexts } from '../../../src/source/archive/archive.ts'
import type { SourceEvent } from '../../../src/source/source.ts'
import type { Source } from '../../../src/store/source.ts'
import { tarEntries } from '../../support/pages/archive.ts'
import { knownBy, openSite, readSource, shownEvents } from '../../support/servers/site.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

type Files = Record<string, string>
type Options = Partial<Extract<Source, { kind: 'archive' }>>

const zip = (files: Files): Uint8Array =>
  zipSync(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  )

const tar = (files: Files, links: Files = {}): Promise<Buffer> =>
  tarEntries([
    ...Object.entries(files).map(([name, text]) => ({ name, text })),
    ...Object.entries(links).map(([name, linkname]) => ({
      name,
      type: 'symlink' as const,
      linkname,
    })),
  ])

function savedArchive(bytes: Uint8Array): string {
  const path = join(temp.path, 'docs.zip')
  writeFileSync(path, bytes)
  return path
}

async function check(bytes: Uint8Array, expected: string[], options: Options = {}) {
  const url = savedArchive(bytes)
  const source: Source = { kind: 'archive', url, docsPaths: [], baseUrl: 'doc:/', ...options }
  const events = await readSource(source)
  expect(shownEvents(events, { url: 'doc:' } as never)).toEqual(expected)
}

async function checkError(bytes: Uint8Array, reason: string) {
  await expect(check(bytes, [])).rejects.toThrow(`docs.zip": ${reason}`)
}

describe('reading pages of an archive', () => {
  const files = { 'a.md': '# A', 'b/c.rst': 'C\n=\n', 'b/x.png': 'x', 'LICENSE.md': 'x' }
  const pages = [
    '-LICENSE.md: not documentation, by its name',
    'ignored: .png',
    '/a.md: A',
    '/b/c.rst: C',
  ]

  test('reads a ZIP archive', () => check(zip(files), pages))
  test('reads a tar archive', async () => check(await tar(files), pages))
  test('reads a gzipped tar archive', async () => check(gzipSync(await tar(files)), pages))

  test('reads archives with a single top folder, as forges create them, and applies docs paths', async () => {
    const packed = { 'r-1.2/docs/a.md': '# A', 'r-1.2/README.md': '# R' }
    await check(zip(packed), ['/docs/a.md: A', '/README.md: R'])
    await check(await tar(packed), ['/docs/a.md: A'], { docsPaths: ['docs'] })
    await check(zip(packed), ['-nope: no such folder or file in the archive'], {
      docsPaths: ['nope'],
    })
  })

  test('reads metadata of a wheel without modules by its path', async () => {
    const path = savedArchive(zip({ 'lamp-1.dist-info/METADATA': 'Name: lamp' }))
    const { texts } = await archiveTexts(path, { isFile: true }, () => true)
    expect([...texts.keys()]).toEqual(['lamp-1.dist-info/METADATA'])
  })

  test('reads the sources of a gem that contains nothing else', async () => {
    const text = '# Lights.\nmodule Lamp\nend\n'
    const content = { name: 'data.tar.gz', text: gzipSync(await tar({ 'lib/lamp.rb': text })) }
    const url = join(temp.path, 'lamp-1.2.0.gem')
    writeFileSync(url, await tarEntries([{ name: 'metadata.gz', text: '' }, content]))
    const events = await readSource({ kind: 'archive', url, docsPaths: [], baseUrl: 'doc:/' })
    expect(events.flatMap((it) => (it.type === 'page' ? it.page.path : []))).toEqual([
      'lib/lamp.rb#L2',
    ])
  })

  test('resolves includes within the archive, and reads pages with includes again (W-25)', async () => {
    const url = join(temp.path, 'including.zip')
    const source: Source = { kind: 'archive', url, docsPaths: ['docs'], baseUrl: 'doc:/' }
    const files = (code: string) => ({
      'r-1/docs/a.md': '# A\n\n{* ../src/a.py *}\n\n{* ../../../etc/passwd *}\n',
      'r-1/docs/b.md': '# B\n',
      'r-1/src/a.py': code,
    })
    const read = async (bytes: Uint8Array, before: SourceEvent[]) => {
      writeFileSync(url, bytes)
      return readSource(source, { before: knownBy(before) })
    }
    for (const packed of [async (it: Files) => zip(it), tar]) {
      const first = await read(await packed(files('one = 1\n')), [])
      expect(first.map((event) => event.type)).toEqual(['page', 'page'])
      expect(first[0]).toMatchObject({
        page: { text: expect.stringMatching(/```python\none = 1\n```\n\n\{\* .*passwd \*\}/) },
      })
      const second = await read(await packed(files('number_two = 2\n')), first)
      expect(second.map((event) => event.type)).toEqual(['page', 'unchanged'])
      expect(second[0]).toMatchObject({ page: { text: expect.stringContaining('number_two') } })
    }
  })

  test("returns pages with URLs below the archive's URL", async () => {
    const url = join(temp.path, 'own.zip')
    writeFileSync(url, zip({ 'a b.md': '# A', 'c.md': '# C' }))
    const events = await readSource({ kind: 'archive', url, docsPaths: [] })
    expect(shownEvents(events, { url: `file://${temp.path}` } as never)).toEqual([
      '/own.zip/a%20b.md: A',
      '/own.zip/c.md: C',
    ])
  })

  test('detects an unchanged remote archive by ETag, and unchanged files by hash', async () => {
    let tag = '"1"'
    let packed = zip({ 'a.md': '# A', 'b.md': '# B' })
    using site = openSite({
      '/d.zip': (request) =>
        request.headers.get('if-none-match') === tag
          ? new Response(null, { status: 304 })
          : new Response(packed as never, { headers: { etag: tag } }),
    })
    const source: Source = { kind: 'archive', url: `${site.url}/d.zip`, docsPaths: [] }
    const first = await readSource(source)
    expect(shownEvents(first, site)).toEqual(['/d.zip/a.md: A', '/d.zip/b.md: B'])
    const known = knownBy(first)
    expect(shownEvents(await readSource(source, { before: known }), site)).toEqual([
      '=/d.zip/a.md',
      '=/d.zip/b.md',
    ])
    tag = '"2"'
    packed = zip({ 'a.md': '# A', 'b.md': '# B two' })
    expect(shownEvents(await readSource(source, { before: known }), site)).toEqual([
      '=/d.zip/a.md',
      '/d.zip/b.md: B two',
    ])
  })
})

describe('hostile archives', () => {
  test('skips paths that lead out of the archive (zip slip)', async () => {
    const files = {
      '../../out.md': 'x',
      '/etc/cron.md': 'x',
      'C:/x.md': 'x',
      'a/../../b.md': 'x',
      '..\\win.md': 'x',
      'ok.md': '# Ok',
    }
    const out = 'its path leads out of the archive'
    await check(
      zip(files),
      ['../../out.md', '/etc/cron.md', 'C:/x.md', 'a/../../b.md', '../win.md']
        .map((path) => `-${path}: ${out}`)
        .concat('/ok.md: Ok'),
    )
  })

  test('skips links', async () =>
    check(await tar({ 'ok.md': '# Ok' }, { 'passwd.md': '/etc/passwd' }), [
      '-passwd.md: a link',
      '/ok.md: Ok',
    ]))

  test('skips files that are too large or declare a false size (zip bombs)', async () => {
    const big = '0'.repeat(9 * 2 ** 20)
    await check(zip({ 'a.md': '# A', 'big.md': big }), [
      '-big.md: file is 9 MB, limit is 8 MB',
      '/a.md: A',
    ])
    const lying = Buffer.from(zip({ 'a.md': '# A', 'big.md': big }))
    for (let at = 0; (at = lying.indexOf('big.md', at)) > 0; at += 6) {
      if (lying.readUInt32LE(at - 46) === 0x02014b50) lying.writeUInt32LE(100, at - 22)
    }
    await check(lying, ['/a.md: A', '!/big.md: it differs from the directory of the archive'])
    await check(gzipSync(await tar({ 'a.md': '# A', 'big.md': big })), [
      '-big.md: file is 9 MB, limit is 8 MB',
      '/a.md: A',
    ])
  })

  test('skips only the encrypted and damaged files', async () => {
    const bytes = Buffer.from(zip({ 'a.md': '# A'.repeat(99), 'b.md': '# B', 'c.md': '# C' }))
    const entry = (name: string) => bytes.lastIndexOf(name, bytes.length, 'latin1') - 46
    bytes.writeUInt16LE(1, entry('b.md') + 8)
    bytes.writeUInt32LE(7, entry('c.md') + 16)
    await check(bytes, [
      '-b.md: encrypted',
      `/a.md: ${'# A'.repeat(99).slice(2)}`,
      '!/c.md: it differs from the directory of the archive',
    ])
  })
})

describe('rejects other files in one line', () => {
  const whole = zip({ 'a.md': '# A', 'b.md': '# B' })

  test('rejects text and web pages', async () => {
    await checkError(
      Buffer.from('not at all '.repeat(99)),
      'it is not a tar archive, or is damaged',
    )
    await checkError(Buffer.from('<html></html>'), 'it is a web page or XML, not an archive')
  })
  test('rejects truncated archives, even inside gzip', async () => {
    await checkError(whole.subarray(0, whole.length - 30), 'it is not a ZIP archive, or is cut off')
    const packed = gzipSync(await tar({ 'a.md': '# A\n'.repeat(5000) }))
    await checkError(packed.subarray(0, packed.length - 20), 'its gzip is damaged, or is cut off')
    await checkError(
      (await tar({ 'a.md': '# A\n'.repeat(5000) })).subarray(0, 5000),
      'it is cut off',
    )
  })
  test('rejects invalid gzip', () =>
    checkError(
      Buffer.from([0x1f, 0x8b, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]),
      'its gzip is damaged, or is cut off',
    ))
  test('rejects other compression methods', () =>
    checkError(Buffer.from('BZh91AY&SY'), 'it is packed by bzip2; zip, tar and tar.gz are read'))
  test('rejects a missing file', () =>
    expect(
      readSource({ kind: 'archive', url: join(temp.path, 'nope.zip'), docsPaths: [] }),
    ).rejects.toThrow('no such file or folder'))
})
