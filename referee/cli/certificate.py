"""``referee certificate``: TLS for trying, without a certificate authority."""

from __future__ import annotations

import os
from pathlib import Path

import click

from referee.cli.common import fail


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--host", "hosts", multiple=True, metavar="NAME", help="What clients call the server.  [default: this]")
@click.option("--client", "clients", multiple=True, metavar="NAME", help="Make a client's certificate too (mTLS).")
def certificate(folder: Path, hosts: tuple[str, ...], clients: tuple[str, ...]) -> None:
    """Make a certificate authority of your own in DIR, and a server's certificate signed by it.

    The authority's key is not kept, so what is made here is all that it ever signs: make it anew for another host.
    """
    try:
        import trustme  # noqa: PLC0415  (only needed here)
        from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415
    except ImportError:
        fail("certificate: this needs the package trustme: pip install 'domino-referee[tls]'")
    for client in clients:
        if not client.replace("-", "").replace("_", "").isalnum() or client in {"ca", "server"}:
            fail(
                f"--client {client[:60]!r}: a name of letters, digits, '-' and '_' is needed, other than ca and server"
            )
    names = hosts or ("localhost", "127.0.0.1", "::1")
    authority = trustme.CA(organization_name="domino-referee", organization_unit_name="for trying")
    try:
        signed = {"server": authority.issue_cert(*names)}
    except ValueError as error:
        fail(f"--host {', '.join(names)}: {error}; host names and IP addresses are needed")
    signed |= {client: authority.issue_cert(f"{client}@client.invalid") for client in clients}
    files = {"ca.pem": authority.cert_pem.bytes()}
    for name, one in signed.items():
        files[f"{name}.pem"] = b"".join(part.bytes() for part in one.cert_chain_pems)
        key = form.load_pem_private_key(one.private_key_pem.bytes(), None)
        files[f"{name}-key.pem"] = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    folder.mkdir(parents=True, exist_ok=True)
    if there := [name for name in files if (folder / name).exists()]:
        fail(f"{folder / there[0]}: there already; another folder is needed")
    for name, data in files.items():
        mode = 0o600 if name.endswith("-key.pem") else 0o644
        with open(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
    click.echo(f"server: referee serve --tls-cert {folder / 'server.pem'} --tls-key {folder / 'server-key.pem'}")
    click.echo(f"bots:   REFEREE_CA={folder / 'ca.pem'}")
    if clients:
        click.echo(f"mTLS:   referee serve … --tls-client-ca {folder / 'ca.pem'}")
    for client in clients:
        click.echo(f"{client}: REFEREE_CERT={folder / f'{client}.pem'} REFEREE_KEY={folder / f'{client}-key.pem'}")
