"""Local times, the days they fall on, and both changes of the clocks."""

from datetime import UTC, datetime

from gitsched.domain.zones import day_of, first_instant, instants_of, next_day_at, zone_named


def test_zones_are_known_by_their_names() -> None:
    """Those of the database; nothing else is one."""
    assert zone_named("UTC") is UTC
    assert zone_named("Europe/Berlin") is not None
    assert zone_named("Europe/Nowhere") is zone_named("../etc/passwd") is zone_named("") is None


def test_a_local_time_comes_once_twice_or_never() -> None:
    """The clocks of Berlin: on 25 October 02:30 comes twice, on 29 March never."""
    berlin = zone_named("Europe/Berlin")
    assert berlin is not None
    assert instants_of(datetime.fromisoformat("2026-11-30 22:00"), berlin) == ("2026-11-30T21:00:00.000Z",)
    twice = instants_of(datetime.fromisoformat("2026-10-25 02:30"), berlin)
    assert twice == ("2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z")
    assert instants_of(datetime.fromisoformat("2026-03-29 02:30"), berlin) == ()
    assert first_instant(datetime.fromisoformat("2026-03-29 02:30"), berlin) == "2026-03-29T01:00:00.000Z"


def test_a_day_begins_at_the_zones_midnight() -> None:
    """Also where the clocks skip midnight itself."""
    berlin, beirut = zone_named("Europe/Berlin"), zone_named("Asia/Beirut")
    assert berlin is not None
    assert beirut is not None
    assert day_of("2026-11-30T23:30:00.000Z", berlin) == "2026-12-01"
    assert next_day_at("2026-11-30T12:00:00.000Z", berlin) == "2026-11-30T23:00:00.000Z"
    assert next_day_at("2026-03-28T12:00:00.000Z", beirut) == "2026-03-28T22:00:00.000Z"
