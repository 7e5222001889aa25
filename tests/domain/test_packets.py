"""The packet of a schedule and its token."""

from gitsched.domain.packets import Packet


def a_packet(schedule: str = "s1", **aspects: str) -> Packet:
    """Build a packet of which only the aspects matter."""
    return Packet(
        schedule=schedule, issues={}, base={}, agents={}, gates=(), suite="true", budget={}, aspects=dict(aspects)
    )


def test_a_token_stands_for_every_aspect_and_for_its_schedule() -> None:
    """The same packet has the same token; anything else has another."""
    token = a_packet(base="1", gates="2").token
    assert a_packet(gates="2", base="1").token == token
    assert len(token) == 16
    others = (a_packet(base="1"), a_packet(base="2", gates="2"), a_packet("s2", base="1", gates="2"))
    assert token not in {packet.token for packet in others}


def test_what_has_changed_is_named() -> None:
    """Aspects that differ, came or went, in the order in which they were bound."""
    packet = a_packet(base="1", gates="3", suite="4")
    assert packet.changed_since({"issue:1": "0", "base": "1", "gates": "2"}) == ("issue:1", "gates", "suite")
    assert packet.changed_since({"base": "1", "gates": "3", "suite": "4"}) == ()
