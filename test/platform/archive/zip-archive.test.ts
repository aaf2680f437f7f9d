import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { ArchiveBytes } from '../../../src/platform/archive/archive-bytes.ts'
import { openZip } from '../../../src/platform/archive/zip-archive.ts'
import { testWhere } from '../../support/where.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

function inMemory(bytes: Buffer): ArchiveBytes {
  return { length: bytes.length, read: (at, length) => bytes.subarray(at, at + length) }
}

/** Returns the content of each path, or the reason if it cannot be read. */
async function read(bytes: Buffer): Promise<Record<string, string>> {
  const archive = openZip(inMemory(bytes))
  const found = await Array.fromAsync(archive.contents(new Set(archive.files.map((it) => it.path))))
  return Object.fromEntries(
    found.map((it) => [it.path, 'bytes' in it ? it.bytes.toString() : `! ${it.reason}`]),
  )
}

type Entry = {
  name: string | Buffer
  text?: string
  flags?: number
  madeBy?: number
  extra?: Buffer
  comment?: string
  isStored?: boolean
  isWide?: boolean
}
type Shape = { comment?: Buffer; before?: Buffer; after?: Buffer; isWide?: boolean }

/** Builds an archive byte by byte, for features that installed tools do not write. */
function craft(entries: Entry[], shape: Shape = {}): Buffer {
  const [files, places]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const entry of entries) {
    const name = Buffer.from(entry.name as string)
    const plain = Buffer.from(entry.text ?? '')
    const packed = entry.isStored ? plain : deflateRawSync(plain)
    const [flags, method] = [entry.flags ?? 0, entry.isStored ? 0 : 8]
    const hasDescriptor = (flags & 8) !== 0
    const sums = fields([crc32(plain), packed.length, plain.length], 4)
    const head = [
      fields([0x04034b50], 4),
      fields([20, flags, method, 0, 0], 2),
      hasDescriptor ? Buffer.alloc(12) : sums,
      fields([name.length, 0], 2),
      name,
      packed,
    ]
    const descriptor = hasDescriptor ? [fields([0x08074b50], 4), sums] : []
    const wide = entry.isWide
      ? Buffer.concat([fields([1, 24], 2), fields([plain.length, packed.length, at], 8)])
      : Buffer.alloc(0)
    const extra = Buffer.concat([entry.extra ?? Buffer.alloc(0), wide])
    const none = 0xffffffff
    const shown = entry.isWide ? [none, none] : [packed.length, plain.length]
    const comment = Buffer.from(entry.comment ?? '')
    places.push(
      Buffer.concat([
        fields([0x02014b50], 4),
        fields([entry.madeBy ?? 20, 20, flags, method, 0, 0], 2),
        fields([crc32(plain), ...shown], 4),
        fields([name.length, extra.length, comment.length, 0, 0], 2),
        fields([0, entry.isWide ? none : at], 4),
        name,
        extra,
        comment,
      ]),
    )
    const file = Buffer.concat([...head, ...descriptor])
    files.push(file)
    at += file.length
  }
  return Buffer.concat([
    shape.before ?? Buffer.alloc(0),
    ...files,
    ...places,
    ...ends(entries.length, { at, length: Buffer.concat(places).length, shape }),
  ])
}

type Ends = { at: number; length: number; shape: Shape }

function ends(count: number, { at, length, shape }: Ends): Buffer[] {
  const { comment = Buffer.alloc(0), after = Buffer.alloc(0), isWide } = shape
  const wide = [
    fields([0x06064b50], 4),
    fields([44], 8),
    fields([45, 45], 2),
    fields([0, 0], 4),
    fields([count, count, length, at], 8),
    fields([0x07064b50, 0], 4),
    fields([at + length], 8),
    fields([1], 4),
  ]
  const counts = isWide ? [0xffff, 0xffff] : [count, count]
  const places = isWide ? [0xffffffff, 0xffffffff] : [length, at]
  return [
    ...(isWide ? wide : []),
    fields([0x06054b50], 4),
    fields([0, 0, ...counts], 2),
    fields(places, 4),
    fields([comment.length], 2),
    comment,
    after,
  ]
}

function fields(values: number[], length: 2 | 4 | 8): Buffer {
  const bytes = Buffer.alloc(values.length * length)
  values.forEach((value, i) => {
    if (length === 8) bytes.writeBigUInt64LE(BigInt(value), i * 8)
    else bytes.writeUIntLE(value, i * length, length)
  })
  return bytes
}

describe('features of the format', () => {
  const files = [
    { name: 'docs/', isStored: true },
    { name: 'docs/a.md', text: '# A' },
  ]
  const pages = { 'docs/a.md': '# A' }

  test('reads folder entries and empty files', async () => {
    expect(await read(craft(files))).toEqual(pages)
    expect(await read(craft([{ name: 'x/' }, { name: 'x\\y\\' }, { name: 'x/e.md' }]))).toEqual({
      'x/e.md': '',
    })
    expect(await read(craft([{ name: 'x/' }]))).toEqual({})
    expect(await read(craft([]))).toEqual({})
  })

  test('reads sizes that follow the file', async () =>
    expect(await read(craft(files.map((file) => ({ ...file, flags: 8 }))))).toEqual(pages))

  test('reads ZIP64 entries, a ZIP64 end record, and both', async () => {
    const wide = files.map((file) => ({ ...file, isWide: true }))
    expect(await read(craft(wide))).toEqual(pages)
    expect(await read(craft(files, { isWide: true }))).toEqual(pages)
    expect(await read(craft(wide, { isWide: true, before: Buffer.from('#!sh') }))).toEqual(pages)
    const many = Array.from({ length: 70_000 }, (_, i) => ({ name: `${i}.md`, isStored: true }))
    expect(openZip(inMemory(craft(many, { isWide: true }))).files).toHaveLength(70_000)
  })

  test("reads names in declared or undeclared UTF-8, code page 437 and Info-ZIP's field", async () => {
    const [dos, utf8] = [Buffer.from([0x81, 0x62, 0xe1]), 'üb…']
    const extra = Buffer.concat([
      fields([0x7075, 5 + Buffer.byteLength('日.md')], 2),
      Buffer.from([1]),
      fields([crc32(Buffer.from('#U65e5.md'))], 4),
      Buffer.from('日.md'),
    ])
    const stale = Buffer.from(extra)
    stale[5]! ^= 1
    expect(
      Object.keys(
        await read(
          craft([
            { name: dos },
            { name: utf8 },
            { name: `${utf8}2`, flags: 0x800 },
            { name: '#U65e5.md', extra },
            { name: '#U65e5.md', extra: stale },
          ]),
        ),
      ),
    ).toEqual(['übß', 'üb…', 'üb…2', '日.md', '#U65e5.md'])
  })

  test('reads comments, even one that resembles an end record, and bytes before and after the archive', async () => {
    const fake = craft([])
    const commented = files.map((file) => ({ ...file, comment: 'PK\x05\x06 said' }))
    expect(await read(craft(commented, { comment: Buffer.from('made by hand') }))).toEqual(pages)
    expect(await read(craft(files, { comment: Buffer.concat([fake, Buffer.from('!')]) }))).toEqual(
      pages,
    )
    expect(await read(craft(files, { before: Buffer.from('#!/bin/sh\n') }))).toEqual(pages)
    expect(await read(craft(files, { after: Buffer.from('\n\n') }))).toEqual(pages)
  })

  test('rejects a damaged directory', async () => {
    const bytes = craft([...files, ...files])
    const second = bytes.indexOf('PK\x01\x02', bytes.indexOf('PK\x01\x02') + 4, 'latin1')
    bytes.writeUInt32LE(7, second)
    expect(() => openZip(inMemory(bytes))).toThrow('its directory is damaged')
    const wide = craft(files, { isWide: true })
    wide.writeUInt32LE(7, wide.lastIndexOf('PK\x06\x06', wide.length, 'latin1'))
    expect(() => openZip(inMemory(wide))).toThrow('its directory is damaged')
    const far = craft(files.map((file) => ({ ...file, isWide: true })))
    far.writeBigUInt64LE(2n ** 63n, far.lastIndexOf('PK\x05\x06', far.length, 'latin1') - 8)
    await expect(read(far)).resolves.toEqual({
      'docs/a.md': '! its position in the archive is damaged',
    })
  })
})

const tree = {
  'a.md': '# A\n',
  'docs/ü/日.md': '# Ü\n',
  'docs/empty.md': '',
  'b.md': '# B\n'.repeat(999),
}

function run(command: string[]): void {
  const folder = join(temp.path, 'tree')
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  mkdirSync(join(folder, 'nothing'), { recursive: true })
  const all = { ...process.env, HOME: temp.path, LC_ALL: 'C.UTF-8' }
  const { success, stderr } = Bun.spawnSync(command, { cwd: folder, env: all, stderr: 'pipe' })
  if (!success) throw new Error(`${command[0]}: ${stderr}`)
}

const python = `import shutil, sys, zipfile
out = sys.argv[1]
shutil.make_archive(out + '.py', 'zip', '.')
with zipfile.ZipFile(out + '.wide.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    for name in ['a.md', 'docs/ü/日.md', 'docs/empty.md', 'b.md']:
        with z.open(name, 'w', force_zip64=True) as f: f.write(open(name, 'rb').read())
    z.comment = b'of Python'
class Pipe:
    def __init__(self, f): self.f = f
    def write(self, b): return self.f.write(b)
    def flush(self): self.f.flush()
with zipfile.ZipFile(Pipe(open(out + '.pipe.zip', 'wb')), 'w') as z:
    z.writestr('docs/', '')
    for name in ['a.md', 'docs/ü/日.md', 'docs/empty.md', 'b.md']: z.write(name)
`
describe('archives of common tools', () => {
  const out = (name: string) => join(temp.path, name)
  const check = async (name: string, without: string[] = []) => {
    const wanted = Object.entries(tree).filter(([path]) => !without.includes(path))
    const found = await read(readFileSync(out(name)))
    expect(
      Object.fromEntries(Object.entries(found).filter(([path]) => path.endsWith('.md'))),
    ).toEqual(Object.fromEntries(wanted))
  }
  const testWith = (tool: string) => testWhere(Bun.which(tool) ? null : `there is no ${tool}`)

  testWith('zip')('Info-ZIP, to a file, to a pipe, in ZIP64, with a comment', async () => {
    run(['zip', '-qr', out('z.zip'), '.'])
    await check('z.zip')
    run(['sh', '-c', `zip -qr - . | cat > ${out('pipe.zip')}`])
    await check('pipe.zip')
    run(['zip', '-qr', '-fz', out('wide.zip'), '.'])
    await check('wide.zip')
    run(['sh', '-c', `echo said | zip -qrz ${out('said.zip')} .`])
    await check('said.zip')
  })
  for (const program of ['7z', '7zz', '7za']) {
    testWith(program)(program, async () => {
      run([program, 'a', '-bd', out(`${program}.zip`), '.'])
      await check(`${program}.zip`)
    })
  }
  testWith('bsdtar')('bsdtar', async () => {
    run(['bsdtar', '--format', 'zip', '-cf', out('bsd.zip'), '.'])
    const found = await read(readFileSync(out('bsd.zip')))
    expect(Object.values(found).sort()).toEqual(Object.values(tree).sort())
  })
  testWith('python3')('Python: shutil, ZIP64, and to a pipe', async () => {
    run(['python3', '-c', python, out('p')])
    for (const name of ['p.py.zip', 'p.wide.zip', 'p.pipe.zip']) await check(name)
  })
  testWith('jar')('jar of Java', async () => {
    run(['jar', '-cf', out('j.jar'), '.'])
    await check('j.jar')
  })
  // Made by zip.NewWriter with Create of "docs/" and each file, and SetComment. Compiling Go would
  // take a minute.
  test("reads an archive that Go's archive/zip wrote", async () => {
    const made = join(import.meta.dir, '../../fixtures/archives/go.zip')
    expect(await read(readFileSync(made))).toEqual(tree)
  })
  testWith('git')('git archive, as the forges pack', async () => {
    const git = ['git', '-c', 'user.name=a', '-c', 'user.email=a@b']
    run([...git, 'init', '-q'])
    run([...git, 'add', '-A'])
    run([...git, 'commit', '-qm', 'x'])
    run([...git, 'archive', '--format=zip', '--prefix=r-1/', '-o', out('git.zip'), 'HEAD'])
    const found = await read(readFileSync(out('git.zip')))
    expect(found).toEqual(
      Object.fromEntries(Object.entries(tree).map(([path, text]) => [`r-1/${path}`, text])),
    )
  })
})
