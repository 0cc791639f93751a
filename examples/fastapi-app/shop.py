"""A small shop: three operations of a FastAPI application, as one would write them."""

from typing import Annotated

from fastapi import FastAPI, HTTPException, Query
from pydantic import BaseModel, Field

app = FastAPI(title="Shop", version="1.0")


class Item(BaseModel):
    """What is for sale."""

    sku: str = Field(pattern=r"^[A-Z]{2}-\d{4}$")
    title: str
    price_cents: int = Field(ge=0)
    tags: list[str] = []


class Order(BaseModel):
    """What a customer wants."""

    sku: str
    quantity: int = Field(ge=1, le=20)
    note: str | None = None


class Receipt(BaseModel):
    """What a customer gets."""

    order_id: int
    total_cents: int


SHELF = {"AB-0001": Item(sku="AB-0001", title="Teapot", price_cents=2400, tags=["kitchen"])}


@app.get("/items")
def items(tag: Annotated[str | None, Query(max_length=40)] = None) -> list[Item]:
    """All items, or those with a tag."""
    return [item for item in SHELF.values() if tag is None or tag in item.tags]


@app.get("/items/{sku}", responses={404: {"description": "no such item"}})
def item(sku: str) -> Item:
    """One item."""
    if sku not in SHELF:
        raise HTTPException(404, f"no item {sku}")
    return SHELF[sku]


@app.post("/orders", status_code=201)
def order(wanted: Order) -> Receipt:
    """Order an item."""
    return Receipt(order_id=1, total_cents=SHELF[wanted.sku].price_cents * wanted.quantity)
