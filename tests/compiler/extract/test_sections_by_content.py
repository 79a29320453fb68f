"""Sections are read for what they tell, not for what their headings may mean."""

from pathlib import Path

import pytest
from drafts import compiled, fate_of

ACTING = """# Locker Rental

## 1. {heading}

1.1 The tenant submits a form together with proof of identity.

1.2 The caretaker checks the form for completeness.
If a page is missing, the caretaker returns the form to the tenant. The caretaker records the locker in the register.

## 2. Keys

2.1 The caretaker delivers the key.

2.2 The tenant signs the receipt.
"""
ACTING_ZH = """# 储物柜租用办法

## 一、{heading}

1. 承租人向管理员提交申请表。
2. 管理员审核申请表；审核不通过的，退回承租人。
3. 管理员在三日内登记储物柜。

## 二、钥匙

1. 管理员发放钥匙。
2. 承租人签收钥匙。
"""


@pytest.mark.parametrize("heading", ["Application", "General", "Charges", "Introduction", "Amendments", "Licence"])
def test_a_section_of_acts_is_read(heading: str, tmp_path: Path) -> None:
    """`Application` is submitting one here."""
    one = compiled(ACTING.format(heading=heading), tmp_path)
    assert {step.actor for step in one.procedure.steps} == {"tenant", "caretaker"}
    assert [step.kind for step in one.procedure.steps[:3]] == ["input", "check", "record"]


@pytest.mark.parametrize("heading", ["概述", "总则", "背景", "适用范围", "申请"])
def test_a_chinese_section_of_acts_is_read(heading: str, tmp_path: Path) -> None:
    """Whatever stands above it."""
    one = compiled(ACTING_ZH.format(heading=heading), tmp_path)
    assert [step.kind for step in one.procedure.steps[:3]] == ["input", "check", "record"]


GENERAL = """# Locker Rental

## 1. {heading}

1.1 This policy applies to all branches.

1.2 It governs the rental of lockers.

1.3 Every manager must know it.

## 2. Keys

2.1 The tenant submits a form.

2.2 The caretaker checks the form.

2.3 The caretaker delivers the key.
"""


@pytest.mark.parametrize("heading", ["Application", "Scope", "Introduction"])
def test_a_section_of_purposes_is_not(heading: str, tmp_path: Path) -> None:
    """What it applies to is no procedure; a duty in it is listed, and counted as what it is."""
    one = compiled(GENERAL.format(heading=heading), tmp_path)
    assert len(one.procedure.steps) == 3
    assert fate_of(one, "applies to") == "purpose"
    assert fate_of(one, "Every manager") == "unplaced"
