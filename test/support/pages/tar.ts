/** Makes a tar archive (ustar) of small files; paths are at most 100 bytes long. */
export function tarOf(files: readonly (readonly [path: string, text: string])[]): Buffer {
  const blocks = files.flatMap(([path, text]) => {
    const bytes = Buffer.from(text)
    return [header(path, bytes.length), bytes, Buffer.alloc(-bytes.length & (blockBytes - 1))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)])
}

const blockBytes = 512

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, length: number) => value.toString(8).padStart(length, '0')
  block.write(path)
  block.write(octal(0o644, 7), 100)
  block.write(octal(size, 11), 124)
  block.write(octal(0, 11), 136)
  block.write('        0', 148)
  block.write('ustar\x0000', 257)
  block.write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  )
  return block
}
