import { readFileSync } from 'node:fs'

/**
 * Reads the symbol versions that an ELF file (64 bit, little endian) needs from other libraries,
 * such as `GLIBC_2.17`, from its section of needed versions. objdump is not installed everywhere.
 */
export function neededVersions(path: string): string[] {
  const bytes = readFileSync(path)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0) !== 0x7f454c46) throw new Error(`${path} is no ELF file`)
  const sections = readSections(view)
  const needs = sections.find((section) => section.type === GNU_VERNEED)
  if (needs === undefined) return []
  const names = sections[needs.link]!
  return versionNames(view, needs).map((name) => {
    const start = names.offset + name
    return bytes.toString('latin1', start, bytes.indexOf(0, start))
  })
}

const GNU_VERNEED = 0x6ffffffe

type Section = { type: number; offset: number; link: number; info: number }

function readSections(view: DataView): Section[] {
  const table = Number(view.getBigUint64(0x28, true))
  const entryBytes = view.getUint16(0x3a, true)
  return Array.from({ length: view.getUint16(0x3c, true) }, (_, i) => {
    const at = table + i * entryBytes
    return {
      type: view.getUint32(at + 4, true),
      offset: Number(view.getBigUint64(at + 24, true)),
      link: view.getUint32(at + 40, true),
      info: view.getUint32(at + 44, true),
    }
  })
}

/** Returns the offsets of the names in the string table: for each library, each of its versions. */
function versionNames(view: DataView, needs: Section): number[] {
  const names: number[] = []
  let library = needs.offset
  for (let i = 0; i < needs.info; i++) {
    let version = library + view.getUint32(library + 8, true)
    for (let j = view.getUint16(library + 2, true); j > 0; j--) {
      names.push(view.getUint32(version + 8, true))
      version += view.getUint32(version + 12, true)
    }
    library += view.getUint32(library + 12, true)
  }
  return names
}
