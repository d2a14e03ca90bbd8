"""A runner of plans on the real draw.io, with an empty drawing."""

import pytest

from cuakit.plan.domains.drawio import DrawIoDomain
from cuakit.plan.runner import Runner
from cuakit.settle.page import PageQuiet


@pytest.fixture
def runner(drawio):
    drawio.open()
    return Runner(
        surface=drawio.surface,
        domain=DrawIoDomain(),
        settle=PageQuiet(reaction_s=0.3).bind(drawio.surface),
        consent=frozenset({"delete"}),
    )
