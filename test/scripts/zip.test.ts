import { expect, test } from 'bun:test'
import { zipEntry } from '../../scripts/build/zip.ts'

// python3 -c "import zipfile,base64,io; b=io.BytesIO(); z=zipfile.ZipFile(b,'w');
// z.writestr('a.txt','stored'); z.writestr('d/b.txt','deflated '*20,zipfile.ZIP_DEFLATED);
// z.comment=b'end'; z.close(); print(base64.b64encode(b.getvalue()).decode())"
const archive = Buffer.from(
  'UEsDBBQAAAAAAAAAIQAL+UNWBgAAAAYAAAAFAAAAYS50eHRzdG9yZWRQSwMEFAAAAAgAAAAhAAfWb5AOAAAAtAAA' +
    'AAcAAABkL2IudHh0S0lNy0ksSU1RSBk6DABQSwECFAMUAAAAAAAAACEAC/lDVgYAAAAGAAAABQAAAAAAAAAAAAAA' +
    'gAEAAAAAYS50eHRQSwECFAMUAAAACAAAACEAB9ZvkA4AAAC0AAAABwAAAAAAAAAAAAAAgAEpAAAAZC9iLnR4dFBL' +
    'BQYAAAAAAgACAGgAAABcAAAAAwBlbmQ=',
  'base64',
)

test('reads stored and deflated entries', async () => {
  expect((await zipEntry(archive, 'a.txt')).toString()).toBe('stored')
  expect((await zipEntry(archive, 'd/b.txt')).toString()).toBe('deflated '.repeat(20))
})

test('rejects a missing entry and a damaged archive', async () => {
  const check = (bytes: Buffer, name: string, why: string) =>
    expect(zipEntry(bytes, name)).rejects.toThrow(why)
  await check(archive, 'b.txt', 'the archive holds no entry "b.txt"')
  await check(Buffer.from('<html>'), 'a.txt', 'it is not a ZIP archive, or is cut off')
  const damaged = Buffer.from(archive)
  damaged[35] = damaged[35]! ^ 0xff
  const why = 'cannot read entry "a.txt": it differs from the directory of the archive'
  await check(damaged, 'a.txt', why)
})
