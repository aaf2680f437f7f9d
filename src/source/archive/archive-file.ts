/** A file as an archive lists it. */
export type ArchiveFile = {
  /** As it is written there: it may try to lead out of the archive. */
  path: string
  sizeBytes: number
  /** Why it cannot be a page; null: it can. */
  refused: string | null
}

/** What a file holds, or why that cannot be told. */
export type ArchiveContent = { path: string } & ({ bytes: Buffer } | { reason: string })

/** What fills the memory with names alone is no documentation. */
const maxFiles = 250_000

/** @throws Error whose message is the reason alone */
export function checkCount(nFiles: number): void {
  if (nFiles > maxFiles) throw new Error(`it holds over ${maxFiles.toLocaleString('en')} files`)
}

/** An archive, read without writing any of it to the disk. */
export type Archive = {
  files: ArchiveFile[]
  /** Of files among `files`, in the archive's order; paths that come twice are given twice. */
  contents(paths: ReadonlySet<string>): AsyncIterable<ArchiveContent>
}
