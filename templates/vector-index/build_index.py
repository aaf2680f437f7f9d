"""Builds a vector index of one library version by Ray, on a copy of its table of chunks.

The store is only read. Afterwards `og reembed LIBRARY --index TABLE` measures the index and
publishes it. Install: pip install lance-ray==0.5.0 ray==2.60.0 pylance==14.0.2
"""

import argparse
import json
import math
import os
import sys

KINDS = ["IVF_RQ", "IVF_PQ"]
# By this name og finds the index; what has it already is replaced.
INDEX_NAME = "vector_idx"


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", help="a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX")
    parser.add_argument("library")
    parser.add_argument("table", help="where the copy is put: a folder, s3://… or gs://…; new")
    parser.add_argument("--version", help="needed where the library has several")
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0])
    parser.add_argument("--workers", type=int, default=4, help="tasks of Ray at once (4)")
    parser.add_argument("--parts", type=int, help="of the index (the root of the rows)")
    parser.add_argument("--sample-rate", type=int, default=64,
                        help="rows a part that one machine learns the parts from (64)")
    parser.add_argument("--address", help="of a Ray cluster; without it this machine")
    return parser.parse_args(words)


def live_generation(registry, library, version):
    """Where the library version lies in the store, by the text of registry.json."""
    rows = [row for row in json.loads(registry)["entries"] if row["key"] == library.lower()]
    if version is not None:
        rows = [row for row in rows if row["version"] == version]
    if len(rows) != 1:
        versions = ", ".join(row["version"] for row in rows)
        wanted = f"{library} {version or ''}".strip()
        sys.exit(f"{wanted}: " + (f"name one by --version: {versions}" if rows else "not indexed"))
    return f"generations/{rows[0]['live']['id']}/chunks.lance"


def read_and_copy(options):
    """Copies the live table; a folder or address that is there already is refused."""
    from pyarrow import fs

    def place(path):
        local = "://" not in path
        return fs.FileSystem.from_uri(path) if not local else (fs.LocalFileSystem(), path)

    (store, root), (target, path) = place(options.store), place(options.table)
    with store.open_input_stream(f"{root}/registry.json") as file:
        table = live_generation(file.read(), options.library, options.version)
    if target.get_file_info(path).type != fs.FileType.NotFound:
        sys.exit(f"{options.table}: is there already; name a new place")
    target.create_dir(path, recursive=True)
    fs.copy_files(f"{root}/{table}", path, source_filesystem=store, destination_filesystem=target)


def build(options):
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import lance
    import lance_ray
    import ray

    table = lance.dataset(options.table)
    rows, dimensions = table.count_rows(), table.schema.field("vector").type.list_size
    parts = options.parts or round(math.sqrt(rows))
    # Of a small table there are not as many; IVF_PQ learns 256 codes of the same rows.
    sample_rate = min(options.sample_rate, rows // max(parts, 256))
    ray.init(address=options.address, include_dashboard=False, log_to_driver=False)
    own = {"num_bits": 1} if options.kind == "IVF_RQ" else {"num_sub_vectors": dimensions // 8}
    # og's embeddings have length 1 and are compared by their dot product.
    lance_ray.create_index(
        options.table, "vector", options.kind, INDEX_NAME, replace=True, metric="dot",
        num_workers=options.workers, num_partitions=parts, sample_rate=sample_rate, **own)
    ray.shutdown()
    print(f"{options.kind} of {rows} rows, {parts} parts: {options.table}")


if __name__ == "__main__":
    chosen = arguments()
    read_and_copy(chosen)
    build(chosen)
