import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readBytes, readTextFile } from '../../../src/platform/file/read-file.ts'
import { testWhere } from '../../support/where.ts'
import { openEach } from '../../support/run/dispose.ts'

const lackOfLinux = process.platform === 'linux' ? null : 'only Linux has /proc'

const temp = openEach(() => createTempFolder("og read 'ü"))
const path = () => join(temp().path, 'file')

async function check(expected: string, at = path()): Promise<void> {
  const read = readTextFile(at, { limitMb: 1 })
  expect(await read.catch((error: Error) => error.message)).toBe(expected)
}

test('reads a whole text file unchanged', async () => {
  const text = `\ufeffgrüße\r\n${'x'.repeat(200_000)}`
  writeFileSync(path(), text)
  await check(text)
  expect((await readBytes(path(), { limitMb: 1 })).equals(Buffer.from(text))).toBe(true)
  writeFileSync(path(), '')
  await check('')
})

test('reports paths that are not regular files, and never waits for them', async () => {
  await expect(readTextFile(path(), { limitMb: 1 })).rejects.toMatchObject({ code: 'ENOENT' })
  Bun.spawnSync(['mkfifo', path()])
  await check('it is a pipe, not a file')
  await check('it is a folder, not a file', temp().path)
  mkdirSync(join(temp().path, 'links'))
  const link = join(temp().path, 'links', 'zero')
  symlinkSync('/dev/zero', link)
  await check('it is a device, not a file', link)
  const server = Bun.listen({ unix: join(temp().path, 'socket'), socket: { data() {} } })
  await check('it is a socket, not a file', join(temp().path, 'socket'))
  server.stop()
})

test('reads no more than the limit, even if the reported size is smaller', async () => {
  writeFileSync(path(), '')
  truncateSync(path(), 2 ** 20)
  expect((await readBytes(path(), { limitMb: 1 })).length).toBe(2 ** 20)
  truncateSync(path(), 7 * 2 ** 30)
  await check('it is 7168 MB, limit is 1 MB')
})

testWhere(lackOfLinux)('reads a pipe that the shell opened', async () => {
  const program = `
    import { readTextFile } from '${join(import.meta.dir, '../../../src/platform/file/read-file.ts')}'
    const read = (path) => readTextFile(path, { limitMb: 1 }).catch(({ message }) => message)
    process.stdout.write(await read(process.argv[1]))`
  const script = '"$0" -e "$1" <(echo words); "$0" -e "$1" /dev/fd/3 3</dev/zero'
  const ran = Bun.spawnSync(['bash', '-c', script, process.execPath, program])
  expect(ran.stdout.toString()).toBe('words\nit is 2 MB, limit is 1 MB')
})
